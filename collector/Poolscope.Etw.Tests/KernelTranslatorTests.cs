using Poolscope.Etw.Format;
using Poolscope.Etw.Reading;
using Xunit;

namespace Poolscope.Etw.Tests;

public sealed class KernelTranslatorTests
{
    private readonly RecordedCalls _told = new();
    private readonly KernelTranslator _kernel;

    public KernelTranslatorTests() => _kernel = new KernelTranslator(_told, pid => pid == 100 ? "app" : null);

    [Theory]
    [InlineData(0, 0)] // Initialized
    [InlineData(1, 0)] // Ready: preempted, or its quantum is over
    [InlineData(2, 0)] // Running
    [InlineData(3, 0)] // Standby: chosen to run next
    [InlineData(4, 0x10)] // Terminated
    [InlineData(5, 1)] // Waiting
    [InlineData(6, 1)] // Transition: its kernel stack is paged out
    [InlineData(7, 0)] // DeferredReady
    [InlineData(9, 1)] // WaitingForProcessInSwap
    public void A_thread_leaves_runnable_waiting_or_for_ever(byte oldState, int prevState)
    {
        Tell(KernelEvent.Switch, 10, KernelPayloads.Switch(newTid: 8, oldTid: 7, oldState));
        Assert.Equal([$"Switch 10 2 7 {prevState} 8"], _told.Calls);
        Assert.Equal(1, _kernel.Switches);
    }

    [Fact]
    public void A_wait_reason_of_preemption_does_not_make_a_waiting_thread_runnable()
    {
        const byte wrPreempted = 32;
        Tell(KernelEvent.Switch, 10, KernelPayloads.Switch(8, 7, oldState: 5, wrPreempted));
        Assert.Equal(["Switch 10 2 7 1 8"], _told.Calls);
    }

    [Fact]
    public void The_waker_is_the_event_s_thread_but_not_for_a_DPC()
    {
        Tell(KernelEvent.Ready, 10, KernelPayloads.Ready(7, flags: 0), tid: 9);
        Tell(KernelEvent.Ready, 11, KernelPayloads.Ready(7, flags: 1), tid: 9);
        Assert.Equal(["Wakeup 10 2 Waking 9 7 -1", "Wakeup 11 2 Waking -1 7 -1"], _told.Calls);
    }

    [Fact]
    public void Without_a_thread_in_the_event_the_waker_is_whom_the_core_runs()
    {
        Tell(KernelEvent.Ready, 9, KernelPayloads.Ready(7, flags: 0), tid: -1);
        Tell(KernelEvent.Switch, 10, KernelPayloads.Switch(8, 0, oldState: 2));
        Tell(KernelEvent.Ready, 11, KernelPayloads.Ready(7, flags: 0), tid: -1);
        Assert.Equal(["Wakeup 9 2 Waking -1 7 -1", "Wakeup 11 2 Waking 8 7 -1"], _told.Calls.Where(call => call.StartsWith("Wakeup", StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData(2)]
    [InlineData(4)]
    [InlineData(6)]
    public void A_thread_that_is_paged_out_is_not_ready_yet(byte flags)
    {
        Tell(KernelEvent.Ready, 10, KernelPayloads.Ready(7, flags), tid: 9);
        Assert.Empty(_told.Calls);
        Tell(KernelEvent.Ready, 20, KernelPayloads.Ready(7, flags: 0), tid: 4);
        Assert.Equal(["Wakeup 20 2 Waking 4 7 -1"], _told.Calls);
    }

    [Theory]
    [InlineData(4)]
    [InlineData(8)]
    public void A_new_thread_is_woken_for_the_first_time_once(int pointerSize)
    {
        Tell(KernelEvent.ThreadExists, 1, KernelPayloads.Thread(pointerSize, 100, 9), pointerSize: pointerSize);
        Tell(KernelEvent.ThreadStart, 10, KernelPayloads.Thread(pointerSize, 100, 7), tid: 9, pointerSize: pointerSize);
        Tell(KernelEvent.Ready, 11, KernelPayloads.Ready(7, flags: 0), tid: 9);
        Tell(KernelEvent.ThreadName, 12, KernelPayloads.SetName(100, 7, ".NET TP Worker"), tid: 7);
        Tell(KernelEvent.Ready, 20, KernelPayloads.Ready(7, flags: 0), tid: 9);
        Tell(KernelEvent.ThreadEnd, 30, KernelPayloads.Thread(pointerSize, 100, 7), tid: 7, pointerSize: pointerSize);
        Assert.Equal(
            [
                "ThreadName 0 100 9 app",
                "ThreadStart 10 100 7 9",
                "Wakeup 11 2 WakeupNew 9 7 -1",
                "ThreadName 12 100 7 .NET TP Worker",
                "Wakeup 20 2 Waking 9 7 -1",
                "ThreadExit 30 100 7",
            ],
            _told.Calls);
    }

    [Fact]
    public void A_thread_is_told_again_only_with_a_name_that_is_new()
    {
        _kernel.Exists(100, 7, name: null);
        Tell(KernelEvent.ThreadExists, 1, KernelPayloads.Thread(8, 100, 7, "seven"));
        Tell(KernelEvent.ThreadExists, 99, KernelPayloads.Thread(8, 100, 7));
        Assert.Equal(["ThreadName 0 100 7 app", "ThreadName 0 100 7 seven"], _told.Calls);
    }

    [Fact]
    public void The_list_at_the_end_does_not_rename_who_had_the_id_first()
    {
        _kernel.Exists(100, 7, name: null);
        Tell(KernelEvent.ThreadExists, 99, KernelPayloads.Thread(8, 200, 7, "later"));
        Assert.Equal(["ThreadName 0 100 7 app"], _told.Calls);
    }

    [Fact]
    public void A_thread_that_another_process_made_is_named_after_its_own()
    {
        Tell(KernelEvent.ThreadExists, 1, KernelPayloads.Thread(8, 200, 9, "maker"));
        Tell(KernelEvent.ThreadStart, 10, KernelPayloads.Thread(8, 100, 7), tid: 9);
        Assert.Equal(["ThreadName 0 200 9 maker", "ThreadStart 10 100 7 9", "ThreadName 10 100 7 app"], _told.Calls);
    }

    [Theory]
    [InlineData(4)]
    [InlineData(8)]
    public void A_sample_belongs_to_the_thread_s_process(int pointerSize)
    {
        Tell(KernelEvent.ThreadExists, 1, KernelPayloads.Thread(pointerSize, 100, 7, "seven"), pointerSize: pointerSize);
        Tell(KernelEvent.Sample, 10, KernelPayloads.Sample(pointerSize, 7), pointerSize: pointerSize);
        Tell(KernelEvent.Sample, 11, KernelPayloads.Sample(pointerSize, 0), pointerSize: pointerSize);
        Assert.Equal(["ThreadName 0 100 7 seven", "Sample 10 2 100 7", "Sample 11 2 0 0"], _told.Calls);
    }

    [Fact]
    public void A_block_begins_where_its_thread_left_to_wait_and_is_taken_once()
    {
        const byte ready = 1;
        const byte waiting = 5;
        Tell(KernelEvent.ThreadExists, 1, KernelPayloads.Thread(8, 100, 7));
        Tell(KernelEvent.ThreadExists, 1, KernelPayloads.Thread(8, 200, 8));
        Tell(KernelEvent.Switch, 10, KernelPayloads.Switch(newTid: 8, oldTid: 7, waiting));
        Assert.Null(_kernel.TakeBlock(7, pid: 200));
        Assert.Equal(10, _kernel.TakeBlock(7, pid: 100));
        Assert.Null(_kernel.TakeBlock(7, pid: 100));

        Tell(KernelEvent.Switch, 20, KernelPayloads.Switch(newTid: 7, oldTid: 8, waiting));
        Tell(KernelEvent.Switch, 30, KernelPayloads.Switch(newTid: 8, oldTid: 7, ready));
        Assert.Null(_kernel.TakeBlock(7, pid: 100));
    }

    [Fact]
    public void Payloads_shorter_than_their_fields_are_passed_over()
    {
        foreach (var what in Enum.GetValues<KernelEvent>())
        {
            Tell(what, 10, [1, 0, 0, 0, 2, 0]);
        }

        Assert.Empty(_told.Calls);
    }

    private void Tell(KernelEvent what, long time, byte[] payload, int tid = -1, int pointerSize = 8) =>
        _kernel.Translate(what, time, cpu: 2, pid: -1, tid, pointerSize, payload);
}
