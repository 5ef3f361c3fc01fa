using Poolscope.Etw.Reading;
using Xunit;

namespace Poolscope.Etw.Tests;

public sealed class ProcessChoiceTests
{
    private static readonly TraceProcessInfo[] Processes =
    [
        new(4, "System", "", 0, false),
        new(100, "w3wp", "w3wp.exe -ap one", 50, true),
        new(101, "w3wp", "w3wp.exe -ap two", 70, true),
        new(200, "app", "app.exe", 60, false),
    ];

    [Fact]
    public void Without_a_wish_the_process_with_the_most_pool_events_is_chosen() => Assert.Equal(101, Choose(null, null)!.Pid);

    [Fact]
    public void The_recorder_itself_is_chosen_only_where_no_other_has_work_items()
    {
        var recorder = new TraceProcessInfo(300, "PerfView", "PerfView.exe collect", 900, true);
        Assert.Equal(101, ProcessChoice.Choose([.. Processes, recorder], null, null, out _)!.Pid);
        Assert.Equal(300, ProcessChoice.Choose([Processes[0], recorder], null, null, out _)!.Pid);
        Assert.Equal(300, ProcessChoice.Choose([.. Processes, recorder], null, "perfview", out _)!.Pid);
        Assert.Equal((true, false), (recorder.IsRecorder, Processes[1].IsRecorder));
    }

    [Theory]
    [InlineData("app")]
    [InlineData("APP.EXE")]
    public void A_name_chooses_with_or_without_extension(string name) => Assert.Equal(200, Choose(null, name)!.Pid);

    [Fact]
    public void Of_two_of_one_name_the_busier_is_chosen() => Assert.Equal(101, Choose(null, "w3wp")!.Pid);

    [Fact]
    public void An_id_chooses_the_less_busy_one() => Assert.Equal(100, Choose(100, null)!.Pid);

    [Theory]
    [InlineData(300, null, "no process 300 with thread-pool work items in the trace; it has: 101 (w3wp), 200 (app), 100 (w3wp)")]
    [InlineData(null, "none", "no process none with thread-pool work items in the trace; it has: 101 (w3wp), 200 (app), 100 (w3wp)")]
    [InlineData(4, null, "process 4 (System) has no work items in the trace; it has: 101 (w3wp), 200 (app), 100 (w3wp)")]
    public void What_is_not_there_is_refused_with_what_is(int? pid, string? name, string refusal)
    {
        Assert.Null(ProcessChoice.Choose(Processes, pid, name, out var said));
        Assert.Equal(refusal, said);
    }

    [Fact]
    public void A_trace_without_work_items_says_what_was_not_recorded()
    {
        Assert.Null(ProcessChoice.Choose(Processes[..1], null, null, out var said));
        Assert.StartsWith("no process with thread-pool work items in the trace: FrameworkEventSource was not recorded", said, StringComparison.Ordinal);
    }

    private static TraceProcessInfo? Choose(int? pid, string? name) => ProcessChoice.Choose(Processes, pid, name, out _);
}
