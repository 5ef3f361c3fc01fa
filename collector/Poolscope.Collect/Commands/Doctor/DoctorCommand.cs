using System.Text.Json;
using Poolscope.Collect.Commands.Looking;
using Poolscope.Collect.Errors;
using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Kernel;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Terminal;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Commands.Doctor;

public sealed record DoctorOptions(int? ProcessId, bool Json);

/// <param name="Why">The attempt that succeeded, or the reason why the stream is unavailable.</param>
/// <param name="How">The step that would make the stream available; empty if it is.</param>
/// <param name="Needed">Whether a full capture needs the stream. False for the substitutes for a better stream and for
/// rows that only explain.</param>
public sealed record StreamCheck(string Stream, bool Available, string Why, string How, bool Needed = true);

/// <summary>Reports for each stream whether it can be recorded here, why not, and how to allow it.</summary>
public static class DoctorCommand
{
    private static readonly TimeSpan AnswerTimeout = TimeSpan.FromSeconds(10);

    /// <returns><see cref="ExitCode.Ok"/> only if a full capture would work, else
    /// <see cref="ExitCode.Unreadable"/>.</returns>
    public static Task<int> RunAsync(DoctorOptions options, ICommandConsole console, IReadOnlyList<IKernelTier> kernel) =>
        RunAsync(options, console, kernel, ProcFs.System, OperatingSystem.IsWindows() ? 0 : Libc.EffectiveUserId());

    /// <param name="user">The effective user id of the caller.</param>
    internal static async Task<int> RunAsync(
        DoctorOptions options, ICommandConsole console, IReadOnlyList<IKernelTier> kernel, ProcFs proc, uint user)
    {
        if (OperatingSystem.IsWindows())
        {
            return await OnWindowsAsync(options, console, kernel).ConfigureAwait(false);
        }

        var catalog = new ProcessCatalog(proc);
        if (options.ProcessId is { } pid)
        {
            catalog.RequireAlive(pid);
        }

        var socket = options.ProcessId is { } owner ? SocketCondition.Check(proc, owner, user) : null;
        var runtime = options.ProcessId is { } target
            ? await catalog.RuntimeAsync(target).ConfigureAwait(false)
            : $".NET {Environment.Version}";
        var session = socket is { Available: false }
            ? socket with { Needed = true }
            : await CheckSessionAsync(options.ProcessId, runtime).ConfigureAwait(false);
        var access = Probe(kernel, options);
        StreamCheck[] checks =
        [
            session with { Stream = "runtime" },
            Waits(runtime, session),
            session with { Stream = "symbols" },
            .. CheckKernel(kernel, access),
            .. socket is null ? [] : new[] { socket },
            .. KernelConditions.Check(proc, access),
        ];
        return Write(checks, options, console);
    }

    /// <summary>Checks the streams of Windows. ETW records the runtime and the kernel in one session and needs an
    /// administrator. EventPipe records the runtime without one.</summary>
    private static async Task<int> OnWindowsAsync(DoctorOptions options, ICommandConsole console, IReadOnlyList<IKernelTier> kernel)
    {
        var runtime = options.ProcessId is { } pid
            ? await DiagnosticIpc.AskByPipeAsync(pid, AnswerTimeout).ConfigureAwait(false) is { } answer ? $".NET {answer.Version}" : null
            : $".NET {Environment.Version}";
        var access = Probe(kernel, options);
        var session = await CheckSessionAsync(options.ProcessId, runtime).ConfigureAwait(false) with { Needed = !access.Any(one => one.Available) };
        StreamCheck[] checks =
        [
            session with { Stream = "runtime" },
            Waits(runtime, session) with { Needed = session.Needed },
            session with { Stream = "symbols" },
            .. CheckKernel(kernel, access),
        ];
        return Write(checks, options, console);
    }

    private static List<KernelAccess> Probe(IReadOnlyList<IKernelTier> kernel, DoctorOptions options) =>
        [.. kernel.Select(tier => tier.Probe(options.ProcessId))];

    internal static StreamCheck Waits(string? runtime, StreamCheck session) =>
        session.Available && RuntimeVersion.Major(runtime) < RuntimeVersion.FirstWithWaitHandleEvents
            ? new StreamCheck("waits", false, $"{runtime} has no WaitHandle events, only lock contention", "Run the program on .NET 9 or newer")
            : session with { Stream = "waits" };

    /// <summary>Returns one row for each kernel tier. The best tier is the stream `sched`. The others are named after
    /// it and matter only if it is unavailable.</summary>
    private static IEnumerable<StreamCheck> CheckKernel(IReadOnlyList<IKernelTier> kernel, List<KernelAccess> access)
    {
        if (kernel.Count == 0)
        {
            yield return new StreamCheck("sched", false, "this system has no scheduler events for us", "Capture on Linux");
        }

        for (var i = 0; i < kernel.Count; i++)
        {
            yield return new StreamCheck(
                i == 0 ? "sched" : $"sched ({kernel[i].Name})",
                access[i].Available,
                i == 0 ? $"tier {kernel[i].Name}: {access[i].Why}" : access[i].Why,
                access[i].How,
                Needed: i == 0);
        }
    }

    internal static int Write(IReadOnlyList<StreamCheck> checks, DoctorOptions options, ICommandConsole console)
    {
        if (options.Json)
        {
            console.Out.WriteLine(JsonSerializer.Serialize(checks.Select(check => check with { How = CommandName.InOwnWords(check.How) }), PsCommand.Json));
        }
        else
        {
            foreach (var check in checks)
            {
                console.Out.WriteLine($"{(check.Available ? "yes" : "NO "),-4} {check.Stream,-20} {check.Why}");
                if (!check.Available && check.How.Length > 0)
                {
                    console.Out.WriteLine($"{"",-25} {CommandName.InOwnWords(check.How)}");
                }
            }
        }

        var missing = checks.Where(check => check is { Available: false, Needed: true }).Select(check => check.Stream).ToList();
        if (missing.Count == 0)
        {
            return ExitCode.Ok;
        }

        console.Fail($"a full capture is not possible here: without {string.Join(", ", missing)}");
        return ExitCode.Unreadable;
    }

    /// <summary>Opens the cheapest event session in the given process, or in this process if none is given.</summary>
    private static async Task<StreamCheck> CheckSessionAsync(int? pid, string? runtime)
    {
        var how = $"Start the process without DOTNET_EnableDiagnostics=0, let it run, and be the same user{(OperatingSystem.IsWindows() ? "" : " or root")}";
        if (RuntimeVersion.Major(runtime) < RuntimeVersion.FirstSupported)
        {
            return new StreamCheck("", false, $"{runtime} is too old", "Run the program on .NET 8 or newer");
        }

        var who = pid is { } target ? $"process {target}" : "this process";
        try
        {
            var client = await DiagnosticClients.OfAsync(ProcFs.System, pid ?? Environment.ProcessId).ConfigureAwait(false);
            var starting = client.StartEventPipeSessionAsync(SessionPlan.Probe(), CancellationToken.None);
            using var session = await starting.WaitAsync(AnswerTimeout).ConfigureAwait(false);
            return new StreamCheck("", true, $"opened an event session in {who} ({runtime ?? "unknown version"})", "");
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e))
        {
            return new StreamCheck("", false, e is TimeoutException ? $"{who} does not answer: is it stopped, or held in a debugger?" : e.Message, how);
        }
    }
}
