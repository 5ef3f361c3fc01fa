using System.Buffers.Binary;
using System.Text;
using Poolscope.PerfEvents.Format;
using Poolscope.PerfEvents.Reading;

namespace Poolscope.PerfEvents;

/// <summary>The contents of a `perf record` file that can be joined with the runtime's events. A file that cannot be
/// joined completely is refused.</summary>
public sealed class PerfRecording
{
    private const int ClockMonotonic = 1;
    private const int ClockMonotonicRaw = 4;
    internal const string Again = "; record with the line that this command prints: poolscope recipe perf";

    internal PerfRecording(PerfContents contents, PerfDataSummary read) =>
        (Contents, FirstNs, LastNs) = (contents, read.FirstNs, read.LastNs);

    /// <summary>Time of the first event, CLOCK_MONOTONIC ns.</summary>
    public long FirstNs { get; }

    /// <summary>Time of the last event, CLOCK_MONOTONIC ns.</summary>
    public long LastNs { get; }

    /// <summary>The name of the host; null: the file does not say.</summary>
    public string? HostName { get; internal init; }

    /// <summary>The kernel's release; null: the file does not say.</summary>
    public string? Kernel { get; internal init; }

    /// <summary>The memory of the machine, bytes; null: the file does not say.</summary>
    public long? MemoryBytes { get; internal init; }

    /// <summary>The zero of CLOCK_MONOTONIC, by the wall clock when the recording began; null: the file does not say
    /// (perf before 5.11).</summary>
    public DateTime? MachineStartUtc { get; internal init; }

    /// <summary>True if sched_waking or sched_wakeup was recorded.</summary>
    public bool HasWakeups { get; internal init; }

    /// <summary>True if the file is text that `perf script` printed.</summary>
    public bool IsText { get; internal init; }

    /// <summary>The unit to which times were rounded down, ns: 1 or 1000.</summary>
    public int PrecisionNs { get; internal init; } = 1;

    /// <summary>True if the file has the perf core's own switch records (--switch-events), which fill the gaps of
    /// sched_switch.</summary>
    public bool HasSwitchRecords { get; internal init; }

    /// <summary>The share of the switches before which another switch is missing, 0 to 1.</summary>
    public double UnseenShare { get; internal init; }

    /// <summary>True if the recording has the process of each thread.</summary>
    public bool NamesProcesses { get; internal init; } = true;

    /// <summary>True if the recording itself says that its clock is CLOCK_MONOTONIC.</summary>
    public bool ClockIsTold { get; internal init; } = true;

    private PerfContents Contents { get; }

    /// <summary>Returns whether threads belong to a process.</summary>
    /// <param name="pid">The process.</param>
    /// <param name="threads">Thread ids that another tool saw in it.</param>
    /// <returns>True if at least half of them belong to it in this recording, and at most a tenth to another
    /// process.</returns>
    public bool Knows(int pid, IReadOnlyCollection<int> threads)
    {
        var owners = threads.Select(Contents.OwnerOf).ToList();
        var (its, others) = (owners.Count(owner => owner == pid), owners.Count(owner => owner >= 0 && owner != pid));
        return its > 0 && 2 * its >= threads.Count && 10 * others <= threads.Count;
    }

    /// <summary>Reads a perf.data file once.</summary>
    /// <exception cref="InvalidDataException">The file cannot be joined with the runtime's events. The message says why
    /// and continues after the file's name.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    public static PerfRecording Open(string path, CancellationToken cancellation)
    {
        try
        {
            using var file = PerfDataFile.OfPerf(path);
            RequireEvents(file);
            var (contents, coverage) = (new PerfContents(), new SwitchCoverage());
            var read = PerfDataReader.Read(file, new SwitchesToAll(contents, coverage), long.MinValue, long.MaxValue, cancellation);
            if (read.FirstNs < 0)
            {
                throw new InvalidDataException($"holds no event of the scheduler{(read.Damage is { } damage ? $": {damage}" : "")}");
            }

            if (!contents.SawIdle && !WasOfAllProcesses(file))
            {
                throw new InvalidDataException($"has some processes only, but the record of a switch to a thread belongs to the thread that it replaces, of any process (option -a){Again}");
            }

            return new PerfRecording(contents, read)
            {
                HostName = Text(file.Feature(HeaderFeature.HostName)),
                Kernel = Text(file.Feature(HeaderFeature.OsRelease)),
                MemoryBytes = file.Feature(HeaderFeature.TotalMemory) is { Length: >= sizeof(ulong) } memory ? BinaryPrimitives.ReadInt64LittleEndian(memory) << 10 : null,
                MachineStartUtc = MachineStart(file.Feature(HeaderFeature.ClockData)),
                HasWakeups = contents.HasWakeups,
                HasSwitchRecords = file.Recorded.Any(recorded => (recorded.Attr.Flags & AttrFlags.ContextSwitch) != 0),
                UnseenShare = coverage.UnseenShare,
            };
        }
        catch (InvalidDataException e) when (char.IsAsciiLetterUpper(e.Message[0]))
        {
            throw new InvalidDataException($"cannot be read: {e.Message}", e);
        }
    }

    /// <returns>False if it is another kind of file that is not empty.</returns>
    /// <exception cref="InvalidDataException">It is a perf.data file that Poolscope does not read, or is empty. The
    /// message continues after the file's name.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    public static bool IsPerfData(string path)
    {
        if (Directory.Exists(path))
        {
            throw new InvalidDataException($"is a folder, as `perf record --threads` writes it, which is not read{Again}");
        }

        if (new FileInfo(path).Length == 0)
        {
            // A pipe or device has no length, and opening a pipe would wait for a writer.
            throw new InvalidDataException("is empty, or a pipe or device: name a regular file");
        }

        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, 0);
        Span<byte> start = stackalloc byte[16];
        start = start[..file.ReadAtLeast(start, start.Length, throwOnEndOfStream: false)];
        if (start.StartsWith("2ELIFREP"u8))
        {
            throw new InvalidDataException("comes from a machine of the other byte order, which is not read");
        }

        if (!start.StartsWith("PERFILE2"u8) || start.Length < 16)
        {
            return false;
        }

        if (BinaryPrimitives.ReadInt64LittleEndian(start[8..]) == start.Length)
        {
            throw new InvalidDataException($"was recorded into a pipe (`perf record -o -`), which is not read{Again}");
        }

        return true;
    }

    /// <exception cref="InvalidDataException">There is no such event; the file is a profile, for example. Checked
    /// first, because it would not help to fix the other faults of such a file.</exception>
    internal static RecordedEvent Switches(IEnumerable<RecordedEvent> events) =>
        events.FirstOrDefault(recorded => Name(recorded) == "sched_switch")
            ?? throw new InvalidDataException($"holds no event sched:sched_switch, so it does not show when threads ran, as a profile (`perf record -F 99 -g -p PID`) does not{Again}");

    private static void RequireEvents(PerfDataFile file)
    {
        if ((file.Header.Features & (1UL << (int)HeaderFeature.Compressed)) != 0)
        {
            throw new InvalidDataException("is compressed; record without -z");
        }

        if ((file.Header.Features & (1UL << (int)HeaderFeature.Directory)) != 0)
        {
            throw new InvalidDataException($"is part of a folder, as `perf record --threads` writes it, which is not read{Again}");
        }

        var switches = Switches(file.Recorded);
        foreach (var recorded in file.Recorded)
        {
            RequireClock(recorded.Attr);
            if (Name(recorded)?.StartsWith("sched_", StringComparison.Ordinal) == true && ((recorded.Attr.Flags & AttrFlags.Frequency) != 0 || recorded.Attr.SamplePeriod != 1))
            {
                throw new InvalidDataException($"holds a part of the events sched:{Name(recorded)} only, because of -F or -c; give the rate of samples with their event: -e cpu-clock/freq=999/");
            }
        }

        // First the number of processors of the machine, then of those that are online.
        var processors = file.Feature(HeaderFeature.CpuCount) is { Length: >= 2 * sizeof(uint) } counts ? BinaryPrimitives.ReadUInt32LittleEndian(counts[sizeof(uint)..]) : 0;
        if (switches.Ids.Count < processors)
        {
            throw new InvalidDataException($"has {switches.Ids.Count} of the machine's {processors} CPUs; record without -C");
        }
    }

    /// <summary>Throws unless the times are CLOCK_MONOTONIC, as those of EventPipe on Linux are.</summary>
    private static void RequireClock(in PerfEventAttr attr)
    {
        if ((attr.Flags & AttrFlags.UseClockId) == 0)
        {
            throw new InvalidDataException("has times of perf's own clock, which is not the runtime's; record with -k CLOCK_MONOTONIC");
        }

        if (attr.ClockId != ClockMonotonic)
        {
            throw new InvalidDataException($"has times of {(attr.ClockId == ClockMonotonicRaw ? "CLOCK_MONOTONIC_RAW" : $"clock {attr.ClockId}")}, which is not the runtime's; record with -k CLOCK_MONOTONIC");
        }
    }

    private static string? Name(RecordedEvent recorded) => recorded.Format is { } format ? TracepointFormat.Parse(format).Name : null;

    /// <summary>Returns whether perf's command line asked for all processes. If the machine was never idle, the events
    /// do not show it.</summary>
    private static bool WasOfAllProcesses(PerfDataFile file)
    {
        var line = file.Feature(HeaderFeature.CommandLine);
        var words = new List<string>();
        for (line = line.Length > sizeof(uint) ? line[sizeof(uint)..] : default; line.Length > sizeof(uint);)
        {
            var length = (int)Math.Min(BinaryPrimitives.ReadUInt32LittleEndian(line), (uint)(line.Length - sizeof(uint)));
            words.Add(Plain(line.Slice(sizeof(uint), length)));
            line = line[(sizeof(uint) + length)..];
        }

        return words.TakeWhile(word => word != "--").Any(word => word is "-a" or "--all-cpus");
    }

    /// <summary>Returns the zero of the clock. The data is u32 version and clock, then u64 wall clock and clock, ns,
    /// read together.</summary>
    private static DateTime? MachineStart(ReadOnlySpan<byte> data)
    {
        if (data.Length < 24 || BinaryPrimitives.ReadInt32LittleEndian(data[4..]) != ClockMonotonic)
        {
            return null;
        }

        var since = BinaryPrimitives.ReadInt64LittleEndian(data[8..]) - BinaryPrimitives.ReadInt64LittleEndian(data[16..]);
        return since is > 0 and < long.MaxValue / 4 ? DateTime.UnixEpoch + TimeSpan.FromTicks(since / 100) : null;
    }

    private static string? Text(ReadOnlySpan<byte> feature) => feature.Length > sizeof(uint) ? Plain(feature[sizeof(uint)..]) : null;

    private static string Plain(ReadOnlySpan<byte> padded)
    {
        var length = padded.IndexOf((byte)0);
        return Encoding.UTF8.GetString(length < 0 ? padded : padded[..length]);
    }
}
