using System.Text;
using Poolscope.PerfEvents.Script;
using Xunit;

namespace Poolscope.PerfEvents.Tests.Script;

/// <summary>Lines that perf 6.1 printed, with its options and with libtraceevent's plug-in, and a few made to
/// mislead.</summary>
public sealed class ScriptFormTests
{
    [Theory]
    [InlineData("            perf 16868 [000] 36459.537200:                sched:sched_waking: comm=migration/0 pid=18 prio=0 target_cpu=000", "perf", -1, 16868, 0, 36_459_537_200_000, 1000, "sched:sched_waking")]
    [InlineData("  Item generator 16783/16794 [001] 36460.158764362:          sched:sched_process_exit: comm=Item generator pid=16794 prio=120 group_dead=false", "Item generator", 16783, 16794, 1, 36_460_158_764_362, 1, "sched:sched_process_exit")]
    [InlineData("perf-exec 16870/16870 [000] 36459.538227457:    1003009 cpu-clock/freq=997,call-graph=fp/: ", "perf-exec", 16870, 16870, 0, 36_459_538_227_457, 1, "cpu-clock/freq=997,call-graph=fp/")]
    [InlineData("            perf 16868 [000] K     36459.537200:          1                sched:sched_waking:                         comm=a", "perf", -1, 16868, 0, 36_459_537_200_000, 1000, "sched:sched_waking")]
    [InlineData("            perf 16868 [000] 2026-11-25 12:26:12.176380 36459.537200:                sched:sched_waking: comm=a", "perf", -1, 16868, 0, 36_459_537_200_000, 1000, "sched:sched_waking")]
    [InlineData("           16868 [129] 36459.537200: sched:sched_waking: comm=a", "", -1, 16868, 129, 36_459_537_200_000, 1000, "sched:sched_waking")]
    [InlineData("            perf [000] 36459.537200: sched:sched_waking: comm=a", "perf", -1, -1, 0, 36_459_537_200_000, 1000, "sched:sched_waking")]
    [InlineData("   a [0] 1: b/c 12/13 [001] 1.000000001: PERF_RECORD_FORK(7:9):(7:8)", "a [0] 1: b/c", 12, 13, 1, 1_000_000_001, 1, "PERF_RECORD_FORK")]
    public void A_line_is_taken_apart(string text, string comm, int pid, int tid, int cpu, long time, int precision, string name)
    {
        Assert.True(ScriptLine.TryRead(Bytes(text), out var line));
        Assert.Equal(
            (comm, pid, tid, cpu, time, precision, name),
            (Text(line.Comm), line.Pid, line.Tid, line.Cpu, line.Time, line.Precision, Text(line.Event)));
    }

    [Theory]
    [InlineData("            perf 16868 36459.537200: sched:sched_waking: comm=a")]
    [InlineData("            perf 16868 [000] sched:sched_waking: comm=a")]
    [InlineData("            perf 16868 [000] 36459.537200: comm=a pid=1")]
    [InlineData("            perf 16868 [000] 36459.5372: sched:sched_waking: comm=a")]
    [InlineData("            perf 16868 [000] 99999999999999999999.537200: sched:sched_waking: comm=a")]
    [InlineData("            perf 16868 [99999999999] 36459.537200: sched:sched_waking: comm=a")]
    [InlineData("'trace' not valid for software events. Ignoring.")]
    [InlineData("[")]
    public void What_lacks_a_part_is_no_event(string text) => Assert.False(ScriptLine.TryRead(Bytes(text), out _));

    [Theory]
    [InlineData("prev_comm=perf prev_pid=16868 prev_prio=120 prev_state=D ==> next_comm=migration/0 next_pid=18 next_prio=0", "perf", 16868, 2, "migration/0", 18)]
    [InlineData("prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=Item generator next_pid=16870 next_prio=120", "swapper/0", 0, 0, "Item generator", 16870)]
    [InlineData("prev_comm=a prev_pid=1 prev_prio=120 prev_state=R+ ==> next_comm=b next_pid=2 next_prio=120    ffffffff81 __schedule+0x3e4 ([kernel.kallsyms])", "a", 1, 0x100, "b", 2)]
    [InlineData("prev_comm= ==> next_comm= prev_pid=1 prev_prio=120 prev_state=D|K ==> next_comm= ==> next_comm= next_pid=2 next_prio=120", " ==> next_comm=", 1, 0x402, " ==> next_comm=", 2)]
    [InlineData("prev_comm=a prev_pid=9 prev_pid=1 prev_prio=120 prev_state=I ==> next_comm=b next_pid=2 next_prio=120", "a prev_pid=9", 1, 0x80, "b", 2)]
    [InlineData("perf:16868 [120] D ==> migration/0:18 [0]", "perf", 16868, 2, "migration/0", 18)]
    [InlineData("rcu_preempt:15 [120] W ==> swapper/1:0 [120]", "rcu_preempt", 15, 0x80, "swapper/1", 0)]
    [InlineData("a [1]:b:7 [120] Z ==> Item generator:8 [120]", "a [1]:b", 7, 0x10, "Item generator", 8)]
    public void A_switch_in_either_form(string text, string left, int leftTid, int state, string came, int cameTid)
    {
        Assert.True(ScriptFields.TrySwitch(Bytes(text), out var prev, out var mask, out var next));
        Assert.Equal((left, leftTid, state, came, cameTid), (Text(prev.Comm), prev.Tid, mask, Text(next.Comm), next.Tid));
    }

    [Theory]
    [InlineData("prev_comm=a prev_pid=1 prev_prio=120 prev_state=Q ==> next_comm=b next_pid=2 next_prio=120")]
    [InlineData("prev_comm=a prev_pid=1x prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120")]
    [InlineData("prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b")]
    [InlineData("prev_comm=a prev_pid=99999999999 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120")]
    [InlineData("a:1 [120] S => b:2 [120]")]
    [InlineData("a:1 [120] ==> b:2 [120]")]
    [InlineData("")]
    public void A_switch_that_lacks_something_is_none(string text) => Assert.False(ScriptFields.TrySwitch(Bytes(text), out _, out _, out _));

    [Theory]
    [InlineData("comm=migration/0 pid=18 prio=0 target_cpu=003", 18, 3)]
    [InlineData("comm=a pid=1 b pid=18 prio=0 success=1 target_cpu=000", 18, 0)]
    [InlineData("perf-exec:16870 [120]<CANT FIND FIELD success> CPU:001", 16870, 1)]
    [InlineData("perf-exec:16870 [120] success=1 CPU:001", 16870, 1)]
    public void A_wake_up_in_either_form(string text, int tid, int cpu)
    {
        Assert.True(ScriptFields.TryWakeup(Bytes(text), out var woken, out var target));
        Assert.Equal((tid, cpu), (woken.Tid, target));
    }

    [Fact]
    public void Lines_of_any_length_cost_one_buffer()
    {
        var text = $"a\r\n{new string('x', 3 * ScriptLines.Longest)}\nb\n\ncut";
        using var lines = new ScriptLines(new MemoryStream(Bytes(text)));
        var found = new List<string>();
        while (lines.Next(out var line))
        {
            found.Add(Text(line));
        }

        Assert.Equal(["a", "b", ""], found);
        Assert.Equal((4, 1, true), (lines.Count, lines.TooLong, lines.IsCut));
    }

    private static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);

    private static string Text(ReadOnlySpan<byte> bytes) => Encoding.UTF8.GetString(bytes);
}
