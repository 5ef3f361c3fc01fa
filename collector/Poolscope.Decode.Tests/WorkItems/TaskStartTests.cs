using Poolscope.Decode.WorkItems;
using Xunit;
using static Poolscope.Decode.Tests.WorkItems.JoinScript;

namespace Poolscope.Decode.Tests.WorkItems;

/// <summary>A task that starts right after an item's dequeue is not always the item itself.</summary>
public sealed class TaskStartTests
{
    [Fact]
    public void An_item_that_begins_with_a_task_of_its_own_is_no_task() => Gives(
        """
        100  1 enqueue 7
        200 10 dequeue 7
        201 10 started 40
        300 10 completed 40
        310 10 park
        """,
        "7 | 100@1 | 200@10 | 310 Park | - | - | None");

    [Fact]
    public void An_item_that_begins_with_a_task_of_its_thread_s_queue_runs_it_inline() => Gives(
        """
         99 10 scheduled 41
        100 10 enqueue 8
        150  1 enqueue 7
        200 10 dequeue 7
        201 10 started 41
        300 10 completed 41
        310 10 park
        """,
        """
        8 | 100@10 | inline 201@10 | 300 TaskCompleted | task 41 | - | Inlined
        7 | 150@1 | 200@10 | 310 Park | - | - | None
        """);

    [Fact]
    public void An_item_that_begins_with_a_task_that_another_thread_queued_unties_that_task() => Gives(
        """
         99  1 scheduled 41
        100  1 enqueue 8
        150  1 enqueue 7
        200 10 dequeue 7
        201 10 started 41
        310 10 park
        """,
        """
        8 | 100@1 | - | - | - | - | QueuedAtEnd
        7 | 150@1 | 200@10 | 310 Park | - | - | None
        """);

    [Fact]
    public void An_item_that_goes_on_after_its_task_has_no_end_yet()
    {
        var items = Run("100 10 dequeue 7\n101 10 started 40\n200 10 completed 40\n210 10 enqueue 8").Items;

        Assert.Equal((-1, EndKnown.Absent), (items.End[0], items.HowEnded(0)));
    }
}
