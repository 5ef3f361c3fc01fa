using Xunit;
using static Poolscope.Decode.Tests.WorkItems.JoinScript;

namespace Poolscope.Decode.Tests.WorkItems;

/// <summary>Enqueues are joined with dequeues. Thread 1 is outside the pool, threads from 10 on are workers.</summary>
public sealed class JoinTests
{
    [Fact]
    public void An_item_is_an_enqueue_and_the_dequeue_of_the_same_id() => Gives(
        """
        100  1 enqueue 7
        250 10 dequeue 7
        400 10 park
        """,
        "7 | 100@1 | 250@10 | 400 Park | - | - | None");

    [Fact]
    public void Items_with_one_work_id_are_taken_first_in_first_out_and_flagged() => Gives(
        """
        100  1 enqueue 7
        101  1 enqueue 7
        102  1 enqueue 7
        200 10 dequeue 7
        201 11 dequeue 7
        300 10 park
        301 11 park
        """,
        """
        7 | 100@1 | 200@10 | 300 Park | - | - | Collided
        7 | 101@1 | 201@11 | 301 Park | - | - | Collided
        7 | 102@1 | - | - | - | - | QueuedAtEnd, Collided
        """);

    [Fact]
    public void An_id_that_comes_back_after_its_dequeue_did_not_collide() => Gives(
        """
        100  1 enqueue 7
        200 10 dequeue 7
        300  1 enqueue 7
        400 10 dequeue 7
        500 10 park
        """,
        """
        7 | 100@1 | 200@10 | 400 NextDequeue | - | - | None
        7 | 300@1 | 400@10 | 500 Park | - | - | None
        """);

    [Fact]
    public void An_async_box_is_enqueued_again_while_it_runs() => Gives(
        """
        100  1 enqueue 7
        200 10 dequeue 7
        210 10 enqueue 7
        220 11 dequeue 7
        230 10 park
        240 11 enqueue 7
        250 11 park
        """,
        """
        7 | 100@1 | 200@10 | 230 Park | - | - | None
        7 | 210@10 | 220@11 | 250 Park | - | in 0 | None
        7 | 240@11 | - | - | - | in 1 | QueuedAtEnd
        """);

    [Fact]
    public void A_dequeue_without_an_enqueue_was_queued_before_the_capture() => Gives(
        """
        200 10 dequeue 7
        300 10 park
        """,
        "7 | - | 200@10 | 300 Park | - | - | CensoredStart");

    [Fact]
    public void A_censored_task_is_known_by_its_start() => Gives(
        """
        200 10 dequeue 7
        201 10 started 40
        300 10 completed 40
        """,
        "7 | - | 200@10 | 300 TaskCompleted | task 40 | - | CensoredStart");

    [Fact]
    public void What_the_capture_leaves_open_is_queued_or_running() => Gives(
        """
        100  1 enqueue 7
        110  1 enqueue 8
        200 10 dequeue 7
        """,
        """
        7 | 100@1 | 200@10 | - | - | - | RunningAtEnd
        8 | 110@1 | - | - | - | - | QueuedAtEnd
        """);

    [Fact]
    public void The_parent_is_the_item_that_runs_on_the_enqueuing_thread_at_that_moment() => Gives(
        """
        100  1 enqueue 7
        200 10 dequeue 7
        210 10 enqueue 8
        220 11 dequeue 8
        230 11 enqueue 9
        300 10 park
        310 11 park
        """,
        """
        7 | 100@1 | 200@10 | 300 Park | - | - | None
        8 | 210@10 | 220@11 | 310 Park | - | in 0 | None
        9 | 230@11 | - | - | - | in 1 | QueuedAtEnd
        """);
}
