using System.ComponentModel;
using System.Runtime.InteropServices;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Processes;
using Poolscope.Look.Judging;
using Poolscope.Look.Lines;
using Poolscope.Look.Memory;
using Poolscope.Look.Running;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Commands.Looking;

/// <summary>The process or dump to examine.</summary>
/// <param name="What">A name for messages, such as "process 4711 (app)".</param>
internal sealed record LookTarget(int? Pid, string? Dump, string What)
{
    private const int ElfType = 16; // e_type in the header of an ELF file
    private const int ElfMachine = 18; // e_machine
    private const byte ElfCore = 4;

    public static async Task<LookTarget> OfAsync(LookOptions options, ProcFs proc)
    {
        if (new object?[] { options.ProcessId, options.Name, options.Dump }.Count(given => given is not null) != 1)
        {
            throw new CommandException(ExitCode.Usage, "say what to look at: one of -p PID, -n NAME or a dump");
        }

        if (options.Dump is { } dump)
        {
            RequireDump(dump);
            return new LookTarget(null, dump, dump);
        }

        var catalog = new ProcessCatalog(proc);
        var pid = options.ProcessId ?? await catalog.FindByNameAsync(options.Name!).ConfigureAwait(false);
        catalog.RequireAlive(pid);
        var name = ProcessNames.Of(proc.CommandLine(pid)) is { Length: > 0 } known ? known : proc.Status(pid, "Name") ?? "?";
        var user = Libc.EffectiveUserId();
        return user != 0 && proc.OwnerUid(pid) is { } owner && owner != user
            ? throw new CommandException(ExitCode.Unreadable, $"process {pid} ({name}) belongs to user {proc.UserName(owner) ?? $"{owner}"}: run as that user or as root")
            : new LookTarget(pid, null, $"process {pid} ({name})");
    }

    /// <summary>Starts a reader in a separate process.</summary>
    /// <param name="time">The CPU time of one look.</param>
    /// <param name="again">The time from the first look to the second, or null to look once.</param>
    /// <param name="yields">See <see cref="ReaderProcess.Start"/>.</param>
    public ReaderProcess Reader(string? dac, TimeSpan time, TimeSpan? again, bool yields = false)
    {
        try
        {
            return ReaderProcess.Start(ReaderProcess.Command(Dump is null ? LookChild.Process : LookChild.Dump, Dump ?? $"{Pid}", dac, time, again), yields);
        }
        catch (Win32Exception e)
        {
            throw new CommandException(ExitCode.Unreadable, $"the reader cannot be started: {new Win32Exception(e.NativeErrorCode).Message}", e);
        }
    }

    /// <summary>Returns which modules are the program's own, by NAME.deps.json beside the program. A dump may outlive
    /// that file.</summary>
    public OwnModules Own(LookReading reading, ProcFs proc)
    {
        var modules = reading.Runtime?.Modules ?? [];
        var named = Pid is { } pid ? OwnCode.Of(proc, pid) : modules.Select(Beside).FirstOrDefault(own => own is not null);
        return new OwnModules(named?.Assemblies, modules);
    }

    private static Decode.Manifest.OwnInfo? Beside(string module) =>
        File.Exists(Path.ChangeExtension(module, ".deps.json")) && !module.Contains("/shared/Microsoft.", StringComparison.Ordinal)
            ? OwnCode.In(Path.GetDirectoryName(module)!, Path.GetFileNameWithoutExtension(module))
            : null;

    /// <summary>Requires a dump that can be read here, judged by its content. Does not open a pipe, which would wait
    /// for its writer.</summary>
    private static void RequireDump(string path)
    {
        if (Directory.Exists(path) || !File.Exists(path))
        {
            throw new CommandException(ExitCode.Unreadable, Directory.Exists(path) ? $"{path} is a folder, not a memory dump" : $"{path}: there is no such file");
        }

        if (new FileInfo(path).Length == 0)
        {
            throw new CommandException(ExitCode.Unreadable, $"{path} is empty, or a pipe or device: name a memory dump");
        }

        var head = new byte[ElfMachine + 2];
        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
        _ = file.ReadAtLeast(head, head.Length, throwOnEndOfStream: false);
        if (head.AsSpan().StartsWith("MDMP"u8))
        {
            throw new CommandException(ExitCode.Unreadable, $"{path} is a dump of Windows, which look does not read; to see its pool there, run: dotnet-dump analyze {path} -c threadpool");
        }

        if (!head.AsSpan().StartsWith("\u007fELF"u8) || head[ElfType] != ElfCore)
        {
            throw new CommandException(ExitCode.Unreadable, $"{path} is not a memory dump; for any other recording: poolscope report {path}");
        }

        if (head[ElfMachine] != Machine())
        {
            throw new CommandException(ExitCode.Unreadable, $"{path} is of another processor architecture ({Name(head[ElfMachine])}): look at it on a machine of that one");
        }
    }

    /// <summary>Returns the number of this machine in ELF files, or 0 for a machine that reads no dumps.</summary>
    private static byte Machine() => RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 62,
        Architecture.Arm64 => 183,
        _ => 0,
    };

    private static string Name(byte machine) => machine switch
    {
        62 => "x64",
        183 => "arm64",
        3 => "x86",
        40 => "arm",
        _ => $"ELF machine {machine}",
    };
}
