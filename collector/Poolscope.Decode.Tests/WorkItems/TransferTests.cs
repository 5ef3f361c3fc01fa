using Xunit;
using static Poolscope.Decode.Tests.WorkItems.JoinScript;

namespace Poolscope.Decode.Tests.WorkItems;

/// <summary>A worker that must stop moves its local items to the global queue, and each is enqueued a second time.</summary>
public sealed class TransferTests
{
    [Fact]
    public void A_stopping_worker_enqueues_its_local_items_again_and_the_first_enqueue_counts() => Gives(
        """
        100 10 dequeue 1
        110 10 enqueue 7
        120 10 enqueue 8
        200 11 goal 4
        210 11 goal 3
        300 10 enqueue 8
        301 10 enqueue 7
        310 10 park
        400 11 dequeue 8
        410 11 dequeue 7
        420 11 park
        """,
        """
        1 | - | 100@10 | 310 Park | - | - | CensoredStart
        7 | 110@10 | 410@11 | 420 Park | - | in 0 | Transferred
        8 | 120@10 | 400@11 | 410 NextDequeue | - | in 0 | Transferred
        """);

    [Fact]
    public void After_a_completed_task_the_worker_is_between_items_and_no_lowered_goal_is_needed() => Gives(
        """
        100 10 dequeue 1
        101 10 started 40
        110 10 enqueue 7
        300 10 completed 40
        301 10 enqueue 7
        310 10 park
        400 11 dequeue 7
        420 11 park
        """,
        """
        1 | - | 100@10 | 300 TaskCompleted | task 40 | - | CensoredStart
        7 | 110@10 | 400@11 | 420 Park | - | in 0 | Transferred
        """);

    [Fact]
    public void The_first_item_of_all_can_be_moved_too() => Gives(
        """
         50 10 start
        110 10 enqueue 7
        301 10 enqueue 7
        """,
        "7 | 110@10 | - | - | - | - | QueuedAtEnd, Transferred");

    [Fact]
    public void A_task_cannot_be_queued_twice_so_its_second_enqueue_is_a_transfer() => Gives(
        """
        100 10 dequeue 1
        109 10 scheduled 41
        110 10 enqueue 7
        301 10 enqueue 7
        310 10 park
        """,
        """
        1 | - | 100@10 | 310 Park | - | - | CensoredStart
        7 | 110@10 | - | - | task 41 | in 0 | QueuedAtEnd, Transferred
        """);

    [Fact]
    public void An_item_that_queues_one_object_twice_makes_two_items() => Gives(
        """
         50  1 goal 4
         60  1 goal 3
         80 10 dequeue 1
         90 10 dequeue 2
        100 10 dequeue 3
        110 10 enqueue 7
        120 10 enqueue 7
        200 11 dequeue 7
        210 12 dequeue 7
        300 10 park
        301 11 park
        302 12 park
        """,
        """
        1 | - | 80@10 | 90 NextDequeue | - | - | CensoredStart
        2 | - | 90@10 | 100 NextDequeue | - | - | CensoredStart
        3 | - | 100@10 | 300 Park | - | - | CensoredStart
        7 | 110@10 | 200@11 | 301 Park | - | in 2 | Collided
        7 | 120@10 | 210@12 | 302 Park | - | in 2 | Collided
        """);

    [Fact]
    public void An_item_of_another_thread_is_not_in_this_worker_s_local_queue() => Gives(
        """
         90 10 dequeue 1
        100  1 enqueue 7
        110 12 goal 3
        120 10 enqueue 7
        130 10 park
        """,
        """
        1 | - | 90@10 | 130 Park | - | - | CensoredStart
        7 | 100@1 | - | - | - | - | QueuedAtEnd, Collided
        7 | 120@10 | - | - | - | in 0 | QueuedAtEnd, Collided
        """);

    [Fact]
    public void A_maximum_below_the_goal_lowers_it_too() => Gives(
        """
         10  1 goal 4
        100 10 dequeue 1
        110 10 enqueue 7
        200  1 max 2
        300 10 enqueue 7
        310 10 park
        """,
        """
        1 | - | 100@10 | 310 Park | - | - | CensoredStart
        7 | 110@10 | - | - | - | in 0 | QueuedAtEnd, Transferred
        """);
}
