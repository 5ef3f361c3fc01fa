using System.Diagnostics;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Recording;
using Poolscope.Collect.Terminal;
using Poolscope.Look;
using Poolscope.Look.Judging;
using Poolscope.Look.Lines;
using Poolscope.Look.Memory.Opening;
using Poolscope.Look.Running;
using Poolscope.Look.Telling;

namespace Poolscope.Collect.Commands.Looking;

/// <summary>Reads a pool once and shows its queue, the methods that hold its threads, and its limits.</summary>
public sealed class LookCommand(ICommandConsole console, ProcFs proc)
{
    /// <summary>The time from the first look at a process to the second.</summary>
    private static readonly TimeSpan Apart = TimeSpan.FromSeconds(0.7);

    /// <summary>The CPU time after which a look begins nothing new. A look usually needs 0.4 s. Beside other programs
    /// it needs twice as much, and half of the stacks would be useless.</summary>
    private static readonly TimeSpan Time = TimeSpan.FromSeconds(1);

    /// <summary>The CPU time that a reader needs before it reads, to start the runtime and to compile.</summary>
    private static readonly TimeSpan Start = TimeSpan.FromSeconds(0.5);

    /// <summary>The time after which the first look is ended, on a machine that does not let it run.</summary>
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(6);

    /// <summary>The time from the start of the command after which the second look is ended: the user already has the
    /// first answer. If the first look alone took longer, as with hundreds of threads, the second one may take as long
    /// as the first.</summary>
    private static readonly TimeSpan Whole = TimeSpan.FromSeconds(1.35);

    /// <summary>The least time that the second look gets.</summary>
    private static readonly TimeSpan Least = TimeSpan.FromSeconds(0.2);

    /// <returns>An <see cref="ExitCode"/>.</returns>
    /// <exception cref="CommandException">The target cannot be examined; the message says why.</exception>
    public async Task<int> RunAsync(LookOptions options, StopRequest stop)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new CommandException(ExitCode.Unreadable, "look runs on Linux only");
        }

        var target = await LookTarget.OfAsync(options, proc).ConfigureAwait(false);
        try
        {
            var look = await LookAsync(target, options, stop.Token).ConfigureAwait(false);
            var verdict = LookVerdict.Of(look);
            var next = CommandName.InOwnWords(LookNext.Of(verdict, target.Pid));
            if (options.Json)
            {
                console.Out.WriteLine(LookDocumentJson.Text(LookDocument.Of(target.What, look, verdict, next)));
                return ExitCode.Ok;
            }

            if (LookText.Movement(look) is { } moved)
            {
                Write(["", moved]);
            }

            Write(["", .. LookText.Verdict(verdict, next)]);
            return ExitCode.Ok;
        }
        catch (OperationCanceledException) when (stop.Token.IsCancellationRequested)
        {
            return ExitCode.Interrupted;
        }
    }

    private async Task<PoolLook> LookAsync(LookTarget target, LookOptions options, CancellationToken stop)
    {
        var isDump = target.Dump is not null;
        var clock = Stopwatch.StartNew();
        var reader = target.Reader(options.Dac, isDump ? LookLimits.TimeOfDump : Time, isDump ? null : Apart, !isDump && Machine.HasFreeCore());
        try
        {
            var reading = await FirstAsync(reader).ConfigureAwait(false);
            if (reader.GotNoCore || (!reading.HasPool && !isDump && reading.Error is null))
            {
                // Other programs want the cores, or the reader died. The next reader takes a core and may succeed.
                reader.Dispose();
                clock.Restart();
                reader = target.Reader(options.Dac, Time, Apart);
                reading = await FirstAsync(reader).ConfigureAwait(false);
            }

            var took = clock.Elapsed;
            Require(reading, target);
            var own = target.Own(reading, proc);
            var first = new PoolView(reading, own);
            if (!options.Json)
            {
                Write([LookText.Answer(first), .. LookText.Tables(first), .. LookText.Timers(first)]);
            }

            if (isDump)
            {
                return new PoolLook(first, null, IsDump: true);
            }

            if (reading.EndedBy is not null)
            {
                // The reader died after it had read the pool, or was ended.
                reader.Dispose();
                reader = target.Reader(options.Dac, Time, null);
            }

            var left = took > Whole ? took : Whole - (DateTime.Now - Process.GetCurrentProcess().StartTime);
            var again = await reader.ReadAsync(Time + Start, left > Least ? left : Least, stop).ConfigureAwait(false);
            return new PoolLook(first, again.HasPool ? new PoolView(again, own) : null, IsDump: false);
        }
        finally
        {
            reader.Dispose();
        }

        Task<LookReading> FirstAsync(ReaderProcess of) =>
            of.ReadAsync((isDump ? LookLimits.TimeOfDump : Time) + Start, isDump ? LookLimits.LongestOfDump : Longest, stop);
    }

    private static void Require(LookReading reading, LookTarget target)
    {
        if (reading.Error is { } why)
        {
            throw new CommandException(ExitCode.Unreadable, why);
        }

        if (!reading.HasPool)
        {
            throw new CommandException(ExitCode.Unreadable, target.Dump is null
                ? $"{target.What} could not be read: the reader {reading.EndedBy ?? "found no limits"}. The process changed its memory too fast, or the machine is too busy: try again"
                : reading.EndedBy is { } limit ? $"{target.What} could not be read: the reader {limit}; the dump is damaged, or it was cut short"
                : $"{target.What} holds too little of the pool: it has no heap, or was cut short; take it with `dotnet-dump collect --type Heap`");
        }
    }

    private void Write(IEnumerable<string> lines)
    {
        foreach (var line in lines)
        {
            console.Out.WriteLine(line);
        }

        console.Out.Flush();
    }
}
