using System.Globalization;
using System.Text;
using Poolscope.KernelEvents;
using Poolscope.PerfEvents.Script;
using Xunit;

namespace Poolscope.PerfEvents.Tests.Script;

/// <summary>The events of a text are read directly, and from the perf.data file made from it.</summary>
public sealed class PerfScriptReaderTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-script-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Events_come_in_the_order_of_the_text_within_a_microsecond()
    {
        var (said, summary) = Read("""
             swapper     0 [000] 1.000001: sched:sched_waking: comm=a pid=7 prio=120 target_cpu=001
             swapper     0 [001] 1.000001: sched:sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=7 next_prio=120
                   a     7 [001] 1.000001: sched:sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
            """);
        Assert.Equal(["1000001000 name -1/7 a", "1000001000 waking -1>7 on 0 for 1", "1000001001 switch 0:0>7 on 1", "1000001002 switch 7:1>0 on 1"], said);
        Assert.Equal((3, 1000, false), (summary.Read.Events, summary.Precision, summary.NamesProcesses));
    }

    [Fact]
    public void Who_comes_without_a_tracepoint_is_told_by_the_perf_core()
    {
        var (said, _) = Read("""
            swapper     0/0     [000]     0.000000000: PERF_RECORD_COMM: app:7/8
            swapper     0/0     [000]     1.000000100: PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid:     7/8
            app     7/8     [000]     1.000000200: PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:     0/0
            app     7/8     [000]     1.000000300: sched:sched_switch: app:8 [120] S ==> swapper/0:0 [120]
            """);
        Assert.Equal(["0 name 7/8 app", "1000000200 switch 0:-1>8 on 0", "1000000300 switch 8:1>0 on 0"], said);
    }

    [Fact]
    public void Births_ends_and_losses_are_told()
    {
        var (said, summary) = Read("""
            app     7/7     [001]     1.000000100: sched:sched_waking: comm=app pid=7 prio=120 target_cpu=001
            app     7/7     [000]     1.000000200: PERF_RECORD_FORK(7:9):(7:7)
            app     7/7     [000]     1.000000300: sched:sched_wakeup_new: comm=app pid=9 prio=120 target_cpu=001
            app     7/9     [001]     1.000000400: PERF_RECORD_LOST lost 69
            app     7/9     [001]     1.000000500: PERF_RECORD_EXIT(7:9):(1:1)
            app     7/9     [001]     1.000000600: sched:sched_switch: app:9 [120] Z ==> swapper/1:0 [120]
            app     0/0     [000]     0.000000000: PERF_RECORD_LOST_SAMPLES lost 3
            """);
        Assert.Equal(
            [
                "1000000100 name 7/7 app", "1000000100 waking 7>7 on 1 for 1", "1000000200 start 7/9 of 7", "1000000300 name 7/9 app", "1000000300 wakeupnew 7>9 on 0 for 1",
                "lost 69 on 1 from 1000000100 to 1000000400", "1000000500 exit 7/9", "1000000600 switch 9:16>0 on 1", "lost 3 on -1 from 1000000600 to -1",
            ],
            said);
        Assert.Equal(72, summary.Read.Lost);
    }

    [Fact]
    public void What_is_not_understood_counts_as_lost_and_so_does_the_last_line_without_its_end()
    {
        var text = """
            a     7 [000] 1.000001: sched:sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
            a     7 [000] 1.000002: sched:sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_
            a     7 [000] 1.000003: sched:sched_stat_runtime: comm=a pid=7 runtime=1 [ns]
            a     7 sched:sched_switch: prev_comm=a
            a     7 [000] 1.000004: sched:sched_waking: comm=b pid=12
            """;
        var (said, summary) = Read(text, end: "");
        Assert.Equal(["1000001000 name -1/7 a", "1000001000 switch 7:1>0 on 0", "lost 1 on 0 from 1000001000 to 1000002000", "lost 2 on -1 from 1000003000 to -1"], said);
        Assert.Equal((3, 1, 2, true), (summary.Read.Lost, summary.OtherEvents, summary.Unreadable, summary.Read.Cut));
    }

    [Fact]
    public void A_late_line_is_lost_and_a_text_that_begins_again_ends_there()
    {
        var (said, summary) = Read("""
            a     7 [000] 5.000003: sched:sched_waking: comm=b pid=8 prio=120 target_cpu=000
            a     7 [000] 5.000001: sched:sched_waking: comm=b pid=8 prio=120 target_cpu=000
            a     7 [000] 1.000001: sched:sched_waking: comm=b pid=8 prio=120 target_cpu=000
            a     7 [000] 9.000001: sched:sched_waking: comm=b pid=8 prio=120 target_cpu=000
            """);
        Assert.Equal(1, said.Count(line => line.Contains("waking", StringComparison.Ordinal)));
        Assert.Contains("lost 1 on 0 from 5000001000 to 5000003000", said);
        Assert.Equal("line 3 is 4.0 s older than the one before it", summary.Read.Damage);
    }

    [Fact]
    public void Threads_that_another_source_knows_belong_to_their_process_where_the_text_names_none()
    {
        const string text = """
            a     7 [000] 1.000001: sched:sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=b next_pid=8 next_prio=120
            b     8 [000] 1.000002: cpu-clock:HG:
            """;
        var (said, _) = Read(text, pid: 5, threads: [8]);
        Assert.Contains("1000001000 name 5/8 b", said);
        Assert.Contains("1000001000 name -1/7 a", said);
    }

    /// <summary>Reads a text and compares it with the perf.data file made from it.</summary>
    private (IReadOnlyList<string> Said, ScriptSummary Summary) Read(string text, string end = "\n", int pid = -1, int[]? threads = null)
    {
        var (bytes, known) = (Encoding.UTF8.GetBytes(text.ReplaceLineEndings("\n") + end), (threads ?? []).ToHashSet());
        var directly = new Said();
        var (summary, _) = PerfScriptReader.Read(new MemoryStream(bytes), directly, pid, known, CancellationToken.None);

        var path = Path.Combine(_folder, "sched.txt");
        File.WriteAllBytes(path, bytes);
        PerfScript.Convert(path, Path.Combine(_folder, SchedulerRecording.DataFileName), pid, known, CancellationToken.None);
        var made = new Said();
        var read = PerfDataReader.Read(_folder, made, long.MinValue, long.MaxValue, byAnyTool: true, CancellationToken.None);

        Assert.Null(read.Damage);
        Assert.Equal((summary.Read.Events, summary.Read.Lost, summary.Read.LastNs), (read.Events, read.Lost, read.LastNs));
        Assert.Equal(Comparable(directly), Comparable(made));
        return (directly.Lines, summary);
    }

    // The time before a loss is computed again, and names at the same moment may come in any order.
    private static IEnumerable<string> Comparable(Said said) =>
        said.Lines.Select(line => line.StartsWith("lost", StringComparison.Ordinal) ? line[..line.IndexOf(" on ", StringComparison.Ordinal)] : line).Order(StringComparer.Ordinal);

    private sealed class Said : ISchedulerEvents
    {
        public List<string> Lines { get; } = [];

        public void Switch(long time, int cpu, int prevTid, int prevState, int nextTid) => Add($"{time} switch {prevTid}:{prevState}>{nextTid} on {cpu}");

        public void Wakeup(long time, int cpu, WakeupEvent wakeup, int waker, int wakee, int targetCpu) =>
            Add($"{time} {wakeup.ToString().ToLowerInvariant()} {waker}>{wakee} on {cpu} for {targetCpu}");

        public void ThreadName(long time, int pid, int tid, string name) => Add($"{time} name {pid}/{tid} {name}");

        public void ThreadStart(long time, int pid, int tid, int parentTid) => Add($"{time} start {pid}/{tid} of {parentTid}");

        public void ThreadExit(long time, int pid, int tid) => Add($"{time} exit {pid}/{tid}");

        public void Lost(long after, long before, int cpu, long count) => Add($"lost {count} on {cpu} from {after} to {before}");

        private void Add(FormattableString line) => Lines.Add(line.ToString(CultureInfo.InvariantCulture));
    }
}
