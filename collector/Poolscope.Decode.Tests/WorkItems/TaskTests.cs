using Xunit;
using static Poolscope.Decode.Tests.WorkItems.JoinScript;

namespace Poolscope.Decode.Tests.WorkItems;

/// <summary>Adjacent events on one thread tie a task id to a work id.</summary>
public sealed class TaskTests
{
    [Fact]
    public void A_task_is_tied_on_both_sides_and_its_completion_ends_the_item() => Gives(
        """
         99  1 scheduled 40
        100  1 enqueue 7
        200 10 dequeue 7
        201 10 started 40
        300 10 completed 40
        500 10 dequeue 8
        """,
        """
        7 | 100@1 | 200@10 | 300 TaskCompleted | task 40 | - | None
        8 | - | 500@10 | - | - | - | CensoredStart, RunningAtEnd
        """);

    [Fact]
    public void Without_its_completion_a_task_ends_at_the_next_dequeue() => Gives(
        """
         99  1 scheduled 40
        100  1 enqueue 7
        200 10 dequeue 7
        201 10 started 40
        500 10 dequeue 7
        510 10 park
        """,
        """
        7 | 100@1 | 200@10 | 500 NextDequeue | task 40 | - | None
        7 | - | 500@10 | 510 Park | - | - | CensoredStart
        """);

    [Fact]
    public void A_waiter_runs_a_queued_task_inline_inside_its_own_item() => Gives(
        """
         99  1 scheduled 40
        100  1 enqueue 7
        200 10 dequeue 7
        201 10 started 40
        210 10 scheduled 41
        211 10 enqueue 8
        220 10 started 41
        225 10 enqueue 9
        230 10 completed 41
        235 10 enqueue 10
        240 10 completed 40
        """,
        """
        7 | 100@1 | 200@10 | 240 TaskCompleted | task 40 | - | None
        8 | 211@10 | inline 220@10 | 230 TaskCompleted | task 41 | in 0 | Inlined
        9 | 225@10 | - | - | - | in 1 | QueuedAtEnd
        10 | 235@10 | - | - | - | in 0 | QueuedAtEnd
        """);

    [Fact]
    public void The_end_of_the_outer_item_ends_what_was_nested_in_it() => Gives(
        """
        200 10 dequeue 7
        210 10 scheduled 41
        211 10 enqueue 8
        220 10 started 41
        300 10 park
        """,
        """
        7 | - | 200@10 | 300 Park | - | - | CensoredStart
        8 | 211@10 | inline 220@10 | 300 Park | task 41 | in 0 | Inlined
        """);

    [Fact]
    public void A_task_of_its_own_thread_is_not_tied_to_the_item_that_is_queued_next() => Gives(
        """
         99  1 long-running 40
        100  1 enqueue 7
        110 50 started 40
        200 10 dequeue 7
        300 10 park
        """,
        "7 | 100@1 | 200@10 | 300 Park | - | - | None");

    [Fact]
    public void A_long_running_task_is_not_tied_even_before_it_starts() => Gives(
        """
         99  1 long-running 40
        100  1 enqueue 7
        """,
        "7 | 100@1 | - | - | - | - | QueuedAtEnd");

    [Fact]
    public void A_task_run_inline_ends_for_good_also_where_its_waiter_is_unknown() => Gives(
        """
        210 10 scheduled 41
        211 10 enqueue 8
        220 10 started 41
        230 10 completed 41
        240 10 enqueue 9
        """,
        """
        8 | 211@10 | inline 220@10 | 230 TaskCompleted | task 41 | - | Inlined
        9 | 240@10 | - | - | - | - | QueuedAtEnd
        """);

    [Fact]
    public void A_tie_that_the_dequeue_does_not_confirm_is_dropped()
    {
        const string events = """
             99  1 scheduled 40
            100  1 enqueue 7
            200 10 dequeue 7
            300 10 park
            """;

        Gives(events, "7 | 100@1 | 200@10 | 300 Park | - | - | None");
        Assert.Equal(1, Run(events).TiesDropped);
    }

    [Fact]
    public void A_tied_task_that_starts_on_a_foreign_thread_was_never_the_item() => Gives(
        """
         99  1 scheduled 40
        100  1 enqueue 7
        110 50 started 40
        200 10 dequeue 7
        300 10 park
        """,
        "7 | 100@1 | 200@10 | 300 Park | - | - | None");

    [Fact]
    public void A_scheduler_that_runs_several_tasks_in_one_item_ends_with_the_item() => Gives(
        """
         99  1 scheduled 40
        100  1 enqueue 7
        101  1 scheduled 41
        200 10 dequeue 7
        201 10 started 40
        300 10 completed 40
        301 10 started 41
        400 10 completed 41
        450 10 park
        """,
        "7 | 100@1 | 200@10 | 450 Park | - | - | None");

    [Fact]
    public void An_enqueue_after_the_task_completed_shows_that_its_item_goes_on() => Gives(
        """
         99  1 scheduled 40
        100  1 enqueue 7
        200 10 dequeue 7
        201 10 started 40
        300 10 completed 40
        310 10 enqueue 8
        450 10 park
        """,
        """
        7 | 100@1 | 200@10 | 450 Park | - | - | None
        8 | 310@10 | - | - | - | in 0 | QueuedAtEnd
        """);

    [Fact]
    public void Of_two_open_items_with_one_id_the_task_start_names_the_right_one() => Gives(
        """
        100  1 enqueue 7
        109  1 scheduled 40
        110  1 enqueue 7
        200 10 dequeue 7
        201 10 started 40
        250 10 completed 40
        300 11 dequeue 7
        400 11 park
        """,
        """
        7 | 100@1 | 300@11 | 400 Park | - | - | Collided
        7 | 110@1 | 200@10 | 250 TaskCompleted | task 40 | - | Collided
        """);

    [Fact]
    public void A_wrong_partner_is_exchanged_even_after_it_ran() => Gives(
        """
         99  1 scheduled 40
        100  1 enqueue 7
        110  1 enqueue 7
        200 10 dequeue 7
        210 10 park
        300 11 dequeue 7
        301 11 started 40
        400 11 completed 40
        """,
        """
        7 | 100@1 | 300@11 | 400 TaskCompleted | task 40 | - | Collided
        7 | 110@1 | 200@10 | 210 Park | - | - | Collided
        """);

    [Fact]
    public void A_wrong_partner_that_still_runs_keeps_running_under_its_right_row() => Gives(
        """
         99  1 scheduled 40
        100  1 enqueue 7
        110  1 enqueue 7
        200 10 dequeue 7
        210 10 enqueue 9
        300 11 dequeue 7
        301 11 started 40
        400 11 completed 40
        500 10 park
        """,
        """
        7 | 100@1 | 300@11 | 400 TaskCompleted | task 40 | - | Collided
        7 | 110@1 | 200@10 | 500 Park | - | - | Collided
        9 | 210@10 | - | - | - | in 0 | QueuedAtEnd
        """);
}
