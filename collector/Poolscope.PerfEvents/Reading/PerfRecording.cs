using System.Buffers.Binary;
using System.Text;
using Poolscope.PerfEvents.Format;
using Poolscope.PerfEvents.Reading;

namespace Poolscope.PerfEvents;

/// <summary>What a file of `perf record` shows, as far as it can be joined with what the runtime shows: all of it, or it is
/// refused.</summary>
public sealed class PerfRecording
{
    private const int ClockMonotonic = 1;
    private const int ClockMonotonicRaw = 4;
    internal const string Again = "; record with the line that this command prints: poolscope recipe perf";

    internal PerfRecording(PerfContents contents, PerfDataSummary read) =>
        (Contents, FirstNs, LastNs) = (contents, read.FirstNs, read.LastNs);

    /// <summary>First event, CLOCK_MONOTONIC ns.</summary>
    public long FirstNs { get; }

    /// <summary>Last event, CLOCK_MONOTONIC ns.</summary>
    public long LastNs { get; }

    /// <summary>Null: the file does not show.</summary>
    public string? HostName { get; internal init; }

    /// <summary>The kernel's release; null: the file does not show.</summary>
    public string? Kernel { get; internal init; }

    /// <summary>Memory of the machine; null: the file does not show.</summary>
    public long? MemoryBytes { get; internal init; }

    /// <summary>The zero of CLOCK_MONOTONIC, by the wall clock when the recording began; null: the file does not show (perf
    /// before 5.11).</summary>
    public DateTime? MachineStartUtc { get; internal init; }

    /// <summary>sched_waking or sched_wakeup was recorded.</summary>
    public bool HasWakeups { get; internal init; }

    /// <summary>It is the text that `perf script` printed.</summary>
    public bool IsText { get; internal init; }

    /// <summary>What times were rounded down to, ns: 1 or 1000.</summary>
    public int PrecisionNs { get; internal init; } = 1;

    /// <summary>The perf core's own records of switches are there (--switch-events), which fill what sched_switch leaves
    /// out.</summary>
    public bool HasSwitchRecords { get; internal init; }

    /// <summary>Share of the switches before which another one is missing.</summary>
    public double UnseenShare { get; internal init; }

    /// <summary>The process of each thread is reported.</summary>
    public bool NamesProcesses { get; internal init; } = true;

    /// <summary>The recording itself says that its clock is CLOCK_MONOTONIC.</summary>
    public bool ClockIsTold { get; internal init; } = true;

    private PerfContents Contents { get; }

    /// <summary>Whether threads are those of a process.</summary>
    /// <param name="pid">The process.</param>
    /// <param name="threads">Thread ids that another tool saw in it.</param>
    /// <returns>True if at least half of them are its threads here, and at most a tenth another process's.</returns>
    public bool Knows(int pid, IReadOnlyCollection<int> threads)
    {
        var owners = threads.Select(Contents.OwnerOf).ToList();
        var (its, others) = (owners.Count(owner => owner == pid), owners.Count(owner => owner >= 0 && owner != pid));
        return its > 0 && 2 * its >= threads.Count && 10 * others <= threads.Count;
    }

    /// <summary>Reads a perf.data file once.</summary>
    /// <exception cref="InvalidDataException">It cannot be joined with what the runtime shows. The message says why and continues
    /// after the file's name.</exception>
    /// <exception cref="IOException">It cannot be read.</exception>
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

    /// <returns>False: it is something else, but not nothing.</returns>
    /// <exception cref="InvalidDataException">It is a perf.data that is not read, or empty. The message continues after the file's
    /// name.</exception>
    /// <exception cref="IOException">It cannot be read.</exception>
    public static bool IsPerfData(string path)
    {
        if (Directory.Exists(path))
        {
            throw new InvalidDataException($"is a folder, as `perf record --threads` writes it, which is not read{Again}");
        }

        if (new FileInfo(path).Length == 0)
        {
            // A pipe or device has no length, and to open a pipe would wait for a writer.
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

    /// <exception cref="InvalidDataException">They are not among the events: the file is of a profile, say. Asked first, because
    /// such a file lacks more that nobody would record for it.</exception>
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

        // First the processors that there are, then those that are online.
        var processors = file.Feature(HeaderFeature.CpuCount) is { Length: >= 2 * sizeof(uint) } counts ? BinaryPrimitives.ReadUInt32LittleEndian(counts[sizeof(uint)..]) : 0;
        if (switches.Ids.Count < processors)
        {
            throw new InvalidDataException($"has {switches.Ids.Count} of the machine's {processors} CPUs; record without -C");
        }
    }

    /// <summary>EventPipe's times are CLOCK_MONOTONIC on Linux.</summary>
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

    /// <summary>By its own command line: on a machine that was never idle the events do not show.</summary>
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

    /// <summary>u32 version and clock, then u64 wall clock and clock, ns, read together.</summary>
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
