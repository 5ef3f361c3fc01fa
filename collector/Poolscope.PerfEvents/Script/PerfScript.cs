using System.Text;
using Poolscope.KernelEvents;
using Poolscope.PerfEvents.Reading;

namespace Poolscope.PerfEvents.Script;

/// <summary>Reads the text that `perf script` prints from a perf.data file, in place of the file.</summary>
public static class PerfScript
{
    /// <summary>The command that prints everything that Poolscope reads.</summary>
    public static string Command { get; } = CommandFor("perf.data");

    /// <summary>The end of a refusal: what to send instead.</summary>
    public static string Again { get; } = "; send the perf.data, or the output of this line: " + Command;

    private const int ClockMonotonic = 1;
    private const int BufferBytes = 1 << 16;

    // The bytes that identify a file. A header has a few thousand, and more with many CPUs.
    private const int Head = 1 << 18;

    private static readonly IReadOnlySet<int> NoThreads = new HashSet<int>();

    /// <summary>Returns the command that prints everything that Poolscope reads from a file.</summary>
    public static string CommandFor(string file) =>
        $"perf script -i {file} --ns --header -F +pid --show-task-events --show-switch-events --show-lost-events > sched.txt";

    /// <summary>Writes the events of a text to a perf.data file.</summary>
    /// <param name="path">A text that <see cref="Open"/> accepted.</param>
    /// <param name="target">Path of the new file.</param>
    /// <param name="pid">A process whose threads another source lists. It is used if the text names no
    /// processes.</param>
    /// <param name="threads">The threads of that process.</param>
    /// <exception cref="IOException">The text cannot be read, or the file cannot be written.</exception>
    public static void Convert(string path, string target, int pid, IReadOnlySet<int> threads, CancellationToken cancellation)
    {
        using var text = OpenFile(path);
        using var sink = new ScriptToPerfData(target);
        PerfScriptReader.Read(text, sink, pid, threads, cancellation);
        sink.Complete();
    }

    /// <summary>Reads a text once.</summary>
    /// <param name="beside">Also receives the text's switches, wake-ups and threads.</param>
    /// <exception cref="InvalidDataException">It is not such a text, or cannot be joined with the runtime's events. The
    /// message says why and continues after the file's name.</exception>
    /// <exception cref="IOException">The text cannot be read.</exception>
    public static PerfRecording Open(string path, ISchedulerEvents beside, CancellationToken cancellation)
    {
        RequireText(path);
        using var text = OpenFile(path);
        var (contents, coverage) = (new PerfContents(), new SwitchCoverage());
        var (summary, header) = PerfScriptReader.Read(
            text, new SwitchesToAll(contents, coverage, beside), -1, NoThreads, cancellation);
        RequireEvents(header);
        if (summary.Switches == 0)
        {
            throw new InvalidDataException(WhyWithoutSwitches(summary));
        }

        if (summary.Read.Damage is { } damage)
        {
            throw new InvalidDataException($"is not of one recording: {damage}{Again}");
        }

        if (coverage.IsOfSome(header.IsOfAllProcesses))
        {
            throw new InvalidDataException("has some threads only, but the record of a switch to a thread belongs to the thread that it replaces, of any process; record with -a, and print without --comm, --pid, --tid and --cpu" + Again);
        }

        return new PerfRecording(contents, summary.Read)
        {
            HostName = header.HostName,
            Kernel = header.Kernel,
            MemoryBytes = header.MemoryBytes,
            MachineStartUtc = header.MachineStartUtc,
            HasWakeups = contents.HasWakeups,
            IsText = true,
            PrecisionNs = summary.Precision,
            NamesProcesses = summary.NamesProcesses,
            ClockIsTold = header.Events.Count > 0,
            UnseenShare = coverage.UnseenShare,
        };
    }

    private static FileStream OpenFile(string path) => new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, BufferBytes);

    private static void RequireText(string path)
    {
        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, 0);
        var head = new byte[Math.Min(Head, file.Length)];
        var start = head.AsSpan(0, file.ReadAtLeast(head, head.Length, throwOnEndOfStream: false));
        if (start.StartsWith(new byte[] { 0xff, 0xfe }) || start.StartsWith(new byte[] { 0xfe, 0xff }))
        {
            throw new InvalidDataException("is text of 16 bits a character (UTF-16), as PowerShell writes it; convert it: iconv -f UTF-16 -t UTF-8");
        }

        if (start.StartsWith(new byte[] { 0x1f, 0x8b }) || start.StartsWith("PK"u8) || start.StartsWith("BZh"u8) || start.StartsWith(new byte[] { 0xfd, (byte)'7', (byte)'z' }) || start.StartsWith(new byte[] { 0x28, 0xb5, 0x2f, 0xfd }))
        {
            throw new InvalidDataException("is compressed: unpack it");
        }

        if (start.Contains((byte)0) || !IsOfPerf(start))
        {
            throw new InvalidDataException($"is neither a perf.data file nor text that `perf script` printed of one{Again}");
        }
    }

    /// <summary>Returns whether a line is an event, complete or not, or the text begins with the header of
    /// perf.</summary>
    private static bool IsOfPerf(ReadOnlySpan<byte> start)
    {
        if (start.StartsWith("# ========\n# captured on"u8) || start.StartsWith("# ========\r\n# captured on"u8))
        {
            return true;
        }

        foreach (var range in start.Split((byte)'\n'))
        {
            var line = start[range];
            if (ScriptLine.TryRead(line, out _) || line.IndexOf("sched_switch:"u8) >= 0 || (line.IndexOf(" ==> "u8) >= 0 && ScriptLine.HasTime(line)) || IsOfProfile(line))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Returns whether a line is a CPU sample without its CPU, as `perf record -p` leads to: "app 123
    /// 24791.619182: 10101010 cpu-clock:ppp:".</summary>
    private static bool IsOfProfile(ReadOnlySpan<byte> line) =>
        (line.IndexOf(" cpu-clock:"u8) >= 0 || line.IndexOf(" cycles:"u8) >= 0 || line.IndexOf(" task-clock:"u8) >= 0) && ScriptLine.HasTime(line);

    private static void RequireEvents(ScriptHeader header)
    {
        var switches = header.Events.FirstOrDefault(recorded => recorded.Name == "sched:sched_switch");
        if (header.Events.Count > 0 && switches is null)
        {
            throw new InvalidDataException("comes from a recording without sched:sched_switch, so it does not show when threads ran; record with the line that this command prints: poolscope recipe perf");
        }

        foreach (var recorded in header.Events)
        {
            if (recorded.ClockId != ClockMonotonic)
            {
                throw new InvalidDataException($"has times of {(recorded.ClockId < 0 ? "perf's own clock" : $"clock {recorded.ClockId}")}, which is not the runtime's; record with -k CLOCK_MONOTONIC");
            }

            if (recorded.Name.StartsWith("sched:", StringComparison.Ordinal) && recorded.IsInPart)
            {
                throw new InvalidDataException($"holds a part of the events {recorded.Name} only, because of -F or -c; give the rate of samples with their event: -e cpu-clock/freq=999/");
            }
        }

        if (switches is { Cpus: > 0 } && switches.Cpus < header.Processors)
        {
            throw new InvalidDataException($"has {switches.Cpus} of the machine's {header.Processors} CPUs; record without -C");
        }
    }

    private static string WhyWithoutSwitches(ScriptSummary summary) => summary.FirstUnreadable is not { } line
        ? $"holds no event sched_switch, so it does not show when threads ran, as a profile (`perf record -F 99 -g -p PID`) does not{PerfRecording.Again}"
        : !ScriptLine.HasTime(line) ? $"has events without their time{Again}"
        : !ScriptLine.HasCpu(line) ? $"has events without their CPU{Again}"
        : $"has events sched_switch in a form that is not known, such as {Shown(line)}{Again}";

    private static string Shown(ReadOnlySpan<byte> line)
    {
        const int most = 160;
        var text = Encoding.UTF8.GetString(line[..Math.Min(line.Length, most)]).Trim();
        return $"\"{new string([.. text.Select(c => char.IsControl(c) ? '?' : c)])}\"";
    }
}
