using Poolscope.Look.Judging;
using Poolscope.Look.Lines;
using Poolscope.Look.Telling;
using Xunit;
using static Poolscope.Collect.Tests.Look.Readings;

namespace Poolscope.Collect.Tests.Look;

public sealed class LookTextTests
{
    [Fact]
    public void The_answer_is_one_sentence()
    {
        var view = View([Pool(8, 24, 24, 24, 0), Queue(817, method: "Microsoft.AspNetCore.Server.Kestrel.Core.Internal.KestrelConnection<Http>.Execute"), .. Inside(22, TaskWait), .. Inside(2, null)]);
        Assert.Equal(
            "24 of 24 threads are inside items; 22 block in Orders.Get on Task.Wait; 817 items are queued, all of them Kestrel connections; the minimum is 8, the maximum 24.",
            LookText.Answer(view));
    }

    [Fact]
    public void What_was_not_read_is_said()
    {
        Assert.StartsWith("What the threads do was not read; 3 items", LookText.Answer(new PoolView(Unread(), new OwnModules(null, []))), StringComparison.Ordinal);
        var view = View([.. Inside(2, Sleep), new LookLine { Threads = 9 }]);
        Assert.StartsWith("About 2 of 2", LookText.Answer(view), StringComparison.Ordinal);
        Assert.Contains(LookText.Tables(view), line => line.Contains("the stacks of 7 of 9 threads", StringComparison.Ordinal));

        static LookReading Unread()
        {
            var reading = new LookReading();
            reading.Add(Queue(3));
            return reading;
        }
    }

    [Fact]
    public void Of_a_queue_that_was_named_in_part_the_part_is_told()
    {
        var queue = new QueuesLine([new QueueLine("global", 100_000, 0)], [new QueuedItems("Shop.Orders.Get", "task", 19_000), new QueuedItems("Shop.Mail.Send", "task", 1_000)], true);
        var moving = new QueuesLine([new QueueLine("global", 118, 0)], [new QueuedItems("Shop.Orders.Get", "task", 111)], true);
        Assert.Contains("118 items are queued, 111 of them Orders.Get", LookText.Answer(View(new LookLine { Queues = moving })), StringComparison.Ordinal);
        Assert.Contains("100,000 items are queued; of the first 20,000, 19,000 are Orders.Get", LookText.Answer(View(new LookLine { Queues = queue })), StringComparison.Ordinal);
    }

    [Fact]
    public void Standing_still_is_said()
    {
        var first = View(Pool(2, 2, 2, 2, 0, completed: 10, at: 1_000), Queue(5, taken: 7));
        var second = View(Pool(2, 2, 2, 2, 0, completed: 10, at: 1_700), Queue(6, taken: 7));
        Assert.Equal("Nothing moved within 0.7 s: no item ended or started; the queue went from 5 to 6.", LookText.Movement(new PoolLook(first, second, false)));
        Assert.Null(LookText.Movement(new PoolLook(first, null, true)));
    }

    [Fact]
    public void Tables_end_after_ten_rows()
    {
        var items = Enumerable.Range(1, 15).Select(number => new QueuedItems($"Shop.Work{number:00}.Run", "task", 100 - number)).ToList();
        var lines = LookText.Tables(View(new LookLine { Queues = new QueuesLine([new QueueLine("global", items.Sum(item => item.Count) + 3, 0)], items, true) })).ToList();
        Assert.Contains(lines, line => line.Contains("Work10", StringComparison.Ordinal));
        Assert.DoesNotContain(lines, line => line.Contains("Work11", StringComparison.Ordinal));
        Assert.Contains($"{items.Skip(10).Sum(item => item.Count) + 3,6:N0}    others", lines);
    }

    [Fact]
    public void Late_timers_are_named()
    {
        var view = View(new LookLine { Timer = new TimerLine("Shop.Leases.Expire", 12, 2_300) });
        Assert.Equal("timer     Leases.Expire: 12 should have fired, 2,300 ms ago at most", Assert.Single(LookText.Timers(view)));
    }

    [Theory]
    [InlineData("System.Threading.Tasks.Task<System.Int32>.get_Result", "Task.Result")]
    [InlineData("Shop.Orders.Get (lambda)", "Orders.Get (lambda)")]
    [InlineData("Main", "Main")]
    public void Short_names(string method, string expected) => Assert.Equal(expected, ItemWords.Short(method));

    [Theory]
    [InlineData("Shop.Orders+<Get>d__3.MoveNext", "Shop.Orders.Get")]
    [InlineData("Shop.Orders+<>c__DisplayClass3_0.<Run>b__1", "Shop.Orders.Run (lambda)")]
    [InlineData("Shop.Orders+<>c.<Run>b__1_0", "Shop.Orders.Run (lambda)")]
    [InlineData("Program.<<Main>$>g__Poll|0_1", "Program.Main.Poll")]
    [InlineData("Shop.Tables..cctor", "Shop.Tables (static constructor)")]
    [InlineData("Shop.Outer+Inner.Run", "Shop.Outer.Inner.Run")]
    public void Written_names(string method, string expected) => Assert.Equal(expected, WrittenName.Of(method));
}
