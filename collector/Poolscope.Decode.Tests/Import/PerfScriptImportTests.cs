using System.Globalization;
using System.IO.Compression;
using System.Text;
using System.Text.RegularExpressions;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Import;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Tests.Captures;
using Poolscope.Tables;
using Xunit;

namespace Poolscope.Decode.Tests.Import;

/// <summary>The text that perf 6.1 printed from the perf.data beside the trace (traces/other-tools) gives the same as
/// that file. A text that does not prove that it belongs to the trace is refused.</summary>
public sealed partial class PerfScriptImportTests : IDisposable
{
    private readonly ForeignFiles _files = new();

    public PerfScriptImportTests() =>
        ZipFile.ExtractToDirectory(Path.Combine(GoldenCapture.Goldens, "..", "other-tools", "perf-script.zip"), Path.GetDirectoryName(_files.Trace)!);

    public void Dispose() => _files.Dispose();

    [Theory]
    [InlineData("full.txt", 0)]
    [InlineData("default.txt", 1000)]
    public void Text_gives_the_tables_of_its_perf_data(string name, long within)
    {
        var expected = Decoded(_files.Scheduler, "by-data").Tables;
        var (manifest, tables) = Decoded(_files.PathOf(name), "by-text");

        Assert.Equal(SourceFile(name), manifest.MadeFrom![1]);
        Assert.Contains(manifest.Refused, gap => gap.Wanted == "what text leaves out");
        Assert.Equal(within > 0, manifest.Refused.Any(gap => gap.Wanted == "times to the nanosecond"));
        Assert.Equal(within > 0, manifest.Refused.Any(gap => gap.Wanted == "processes of threads"));
        Same(expected["switches"], tables["switches"], within, "time", "cpu", "prev_tid", "prev_state", "next_tid");
        Same(expected["wakeups"], tables["wakeups"], within, "time", "cpu", "wakee_tid", "target_cpu");
        if (within == 0)
        {
            Same(expected["thread_states"], tables["thread_states"], 0, "tid", "start", "end");
        }

        // Only the workers: their process does not depend on the names of other threads.
        var workers = Enumerable.Range(0, tables["work_items"].Count).Select(row => tables["work_items"].Int32("worker_tid")[row]).Where(tid => tid >= 0).ToHashSet();
        Assert.NotEmpty(workers);
        var (before, after) = (States(expected["thread_states"], workers), States(tables["thread_states"], workers));
        Assert.Equal(before.Select(thread => thread.Key), after.Select(thread => thread.Key));
        foreach (var (thread, states) in before.Zip(after))
        {
            // If the text has no births, a birth shows as the first wake-up, some microseconds later.
            var unborn = thread.Count() - states.Count();
            Assert.InRange(unborn, 0, within > 0 ? 1 : 0);
            var same = thread.Skip(unborn).ToList();
            Assert.Equal(same.Select(state => state.State), states.Select(state => state.State));
            Assert.All(same.Zip(states), pair => Assert.InRange(Math.Abs(pair.First.Start - pair.Second.Start), 0, within));
        }
    }

    [Fact]
    public void The_capture_keeps_the_text()
    {
        var folder = _files.NewCapture();
        var recording = Open(_files.PathOf("default.txt"));
        NettraceImport.Write(recording, folder, new ToolInfo("test", "1"), TestContext.Current.CancellationToken);
        Assert.Equal(File.ReadAllBytes(_files.PathOf("default.txt")), File.ReadAllBytes(Path.Combine(folder, NettraceImport.TextFile)));
        Assert.True(recording.Evidence!.IsProven, recording.Evidence.Text);

        // Decoding the file itself afterwards leaves nothing of the text behind.
        NettraceImport.Write(Open(_files.Scheduler), folder, new ToolInfo("test", "1"), TestContext.Current.CancellationToken);
        Assert.False(File.Exists(Path.Combine(folder, NettraceImport.TextFile)));
    }

    [Theory]
    [InlineData(0, true)]
    [InlineData(5, false)]
    [InlineData(-5, false)]
    [InlineData(40, false)]
    public void Without_a_header_threads_prove_the_clock_and_a_shifted_one_is_refused(int milliseconds, bool taken)
    {
        var path = Changed("default.txt", line => Shifted(line, milliseconds));
        if (taken)
        {
            Assert.True(Open(path).Evidence!.IsProven);
        }
        else
        {
            Assert.Contains("does not go with trace.nettrace: at ", Refused(path), StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("own clock", "-k CLOCK_MONOTONIC")]
    [InlineData("raw", "has times of clock 4")]
    [InlineData("rate", "because of -F or -c")]
    [InlineData("one cpu", "has 1 of the machine's 2 CPUs")]
    [InlineData("no switch recorded", "without sched:sched_switch")]
    [InlineData("other start", "another machine or another start of it")]
    public void What_the_header_says_is_asked_first(string how, string expected)
    {
        var path = Changed("full.txt", line => line.StartsWith('#') ? how switch
        {
            "own clock" => line.Replace(", use_clockid = 1", "", StringComparison.Ordinal).Replace(", clockid = 1", "", StringComparison.Ordinal),
            "raw" => line.Replace(", clockid = 1", ", clockid = 4", StringComparison.Ordinal),
            "rate" => line.Replace("{ sample_period, sample_freq } = 1", "{ sample_period, sample_freq } = 99", StringComparison.Ordinal),
            "one cpu" => Ids().Replace(line, "id = { $1 }"),
            "no switch recorded" => line.Replace("name = sched:sched_switch", "name = sched:sched_stat_runtime", StringComparison.Ordinal),
            _ => line.Replace(" = 1795465428.", " = 1795465128.", StringComparison.Ordinal),
        } : line);
        Assert.Contains(expected, Refused(path), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("no cpu", "events without their CPU")]
    [InlineData("no time", "events without their time")]
    [InlineData("no switch", "holds no event sched_switch")]
    [InlineData("profile", "holds no event sched_switch")]
    [InlineData("other form", "in a form that is not known")]
    [InlineData("one process", "has some threads only")]
    [InlineData("idle left out", "has some threads only")]
    [InlineData("utf-16", "UTF-16")]
    [InlineData("gzip", "unpack it")]
    [InlineData("binary", "neither a perf.data file nor text")]
    [InlineData("prose", "neither a perf.data file nor text")]
    public void What_the_states_cannot_be_made_from_is_refused_with_the_command_that_prints_it(string how, string expected)
    {
        var path = Changed("default.txt", line => how switch
        {
            "no cpu" => Cpu().Replace(line, " "),
            "no time" => Time().Replace(line, " "),
            "no switch" => line.Contains("sched_switch", StringComparison.Ordinal) ? null : line,
            "profile" => "app 15626 24791.619182:   10101010 cpu-clock:ppp: ",
            "other form" => line.Replace("prev_comm=", "from=", StringComparison.Ordinal),
            "one process" => line.Contains("sched_switch", StringComparison.Ordinal) && !line.Contains("prev_comm=runtimes-target", StringComparison.Ordinal) && !line.Contains("prev_comm=.NET", StringComparison.Ordinal) ? null : line,
            "idle left out" => line.Contains("prev_pid=8109 ", StringComparison.Ordinal) ? null : line.Replace("next_pid=8109 ", "next_pid=0 ", StringComparison.Ordinal),
            "prose" => "Dear all, at 12:30 the service was slow.",
            _ => line,
        });
        ForeignFiles.Change(path, bytes => how switch
        {
            "utf-16" => [.. Encoding.Unicode.GetPreamble(), .. Encoding.Unicode.GetBytes(Encoding.UTF8.GetString(bytes))],
            "gzip" => [0x1f, 0x8b, 8, .. bytes],
            "binary" => [.. bytes[..1000], 0, .. bytes[1000..]],
            _ => bytes,
        });
        var message = Refused(path);
        Assert.Contains(expected, message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', message);
        Assert.Equal(how is "no switch" or "profile", message.Contains("poolscope recipe perf", StringComparison.Ordinal));
        Assert.Equal(how is not ("utf-16" or "gzip" or "no switch" or "profile"), message.Contains("perf script -i perf.data --ns --header -F +pid", StringComparison.Ordinal));
    }

    [Fact]
    public void Two_texts_in_one_file_are_refused()
    {
        var path = Changed("default.txt", line => line);
        ForeignFiles.Change(path, bytes => [.. bytes, .. bytes]);
        Assert.Contains("is not of one recording: line ", Refused(path), StringComparison.Ordinal);
    }

    [Fact]
    public void A_text_that_is_cut_within_a_line_lacks_one_event_and_says_so()
    {
        var path = Changed("full.txt", line => line);
        ForeignFiles.Change(path, bytes => bytes[..^20]);
        var (manifest, _) = Decoded(path, "cut");
        Assert.Equal(1, manifest.Streams.Single(stream => stream.File == "sched.perf.data").Lost);
        Assert.Equal(CaptureStatus.Incomplete, manifest.Status);
    }

    [Fact]
    public void Text_of_another_time_is_refused() =>
        Assert.Contains("not recorded at the same time", Refused(Changed("default.txt", line => Shifted(line, 3_600_000))), StringComparison.Ordinal);

    [Fact]
    public void Text_of_a_process_that_the_header_knows_by_other_ids_is_refused() =>
        Assert.Contains("in a container", Refused(Changed("full.txt", line => line.Replace("4295/", "5295/", StringComparison.Ordinal).Replace(":4295/", ":5295/", StringComparison.Ordinal).Replace("(4295:", "(5295:", StringComparison.Ordinal))), StringComparison.Ordinal);

    private static SourceFile SourceFile(string name) => new(NettraceImport.TextFile, name, "perf-script");

    private static void Same(Table expected, Table found, long within, params string[] columns)
    {
        Assert.Equal(expected.Count, found.Count);
        foreach (var column in columns)
        {
            var (before, after) = (Values(expected, column), Values(found, column));
            var tolerance = column is "time" or "start" or "end" ? within : 0;
            Assert.All(before.Zip(after), pair => Assert.InRange(Math.Abs(pair.First - pair.Second), 0, tolerance));
        }
    }

    private static IEnumerable<long> Values(Table table, string column) => Enumerable.Range(0, table.Count).Select(row => table.Schema.Columns.Single(c => c.Name == column).Type switch
    {
        ColumnType.Int16 => table.Int16(column)[row],
        ColumnType.Int32 => table.Int32(column)[row],
        _ => table.Int64(column)[row],
    });

    private static List<IGrouping<int, (long Start, int State)>> States(Table states, HashSet<int> threads) =>
    [
        .. Enumerable.Range(0, states.Count).Where(row => threads.Contains(states.Int32("tid")[row]))
            .GroupBy(row => states.Int32("tid")[row], row => (states.Int64("start")[row], (int)states.Enum("state")[row])),
    ];

    private string Changed(string name, Func<string, string?> how)
    {
        var path = _files.PathOf($"changed-{name}");
        File.WriteAllLines(path, File.ReadLines(_files.PathOf(name)).Select(how).OfType<string>());
        return path;
    }

    private static string Shifted(string line, int milliseconds) => Time().Replace(
        line, match => string.Create(CultureInfo.InvariantCulture, $" {decimal.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture) + (milliseconds / 1000m):0.000000}: "), 1);

    private ForeignRecording Open(string scheduler) => NettraceImport.Open(_files.Trace, scheduler, null, TestContext.Current.CancellationToken);

    private string Refused(string scheduler) => Assert.Throws<CaptureRefusedException>(() => Open(scheduler)).Message;

    private (CaptureManifest Manifest, IReadOnlyDictionary<string, Table> Tables) Decoded(string scheduler, string name)
    {
        var (folder, cancel) = (_files.NewCapture(name), TestContext.Current.CancellationToken);
        NettraceImport.Write(Open(scheduler), folder, new ToolInfo("test", "1"), cancel);
        var decoded = CaptureDecoder.Read(folder, null, cancel);
        return (decoded.Capture.Completed(), decoded.Tables.ToDictionary(table => table.Schema.Name));
    }

    [GeneratedRegex(@"id = \{ (\d+), \d+ \}")]
    private static partial Regex Ids();

    [GeneratedRegex(@" \[\d{3}\] ")]
    private static partial Regex Cpu();

    [GeneratedRegex(@" (\d+\.\d{6}): ")]
    private static partial Regex Time();
}
