using Poolscope.Look.Lines;
using Xunit;
using static Poolscope.Collect.Tests.Look.Readings;

namespace Poolscope.Collect.Tests.Look;

public sealed class LookReadingTests
{
    [Fact]
    public void Every_field_of_a_line_is_read_as_it_was_written()
    {
        var line = new LookLine
        {
            Runtime = new RuntimeLine("10.0.12", "/usr/libcoreclr.so", ["/app/shop.dll"]),
            Pool = new PoolLine(1, 2, 3, 4, 5, 6, 7, 8),
            Queues = new QueuesLine([new QueueLine("global", 9, 10)], [new QueuedItems("Shop.Orders.Get", "delegate", 11)], true),
            Threads = 12,
            Thread = new ThreadLine(13, 14, true, "S", true, ["shop!Shop.Orders<T>.Get"], ["Orders.cs:41", null]),
            Lock = new LockLine("System.Object", 15, 16),
            Timer = new TimerLine("Shop.Orders.Tick", 17, 18),
            Error = "no",
            Complete = true,
        };
        Assert.DoesNotContain(typeof(LookLine).GetProperties(), property => property.GetValue(line) is null);
        var text = LookJson.Text(line);
        Assert.Equal(text, LookJson.Text(LookJson.Parse(text)!));
        Assert.Equal("{}", LookJson.Text(LookJson.Parse("{}")!));
    }

    [Fact]
    public void What_came_before_the_reader_died_counts()
    {
        var text = LookJson.Text(Thread(1, "S", ["shop!Shop.Orders.Get"]));
        Assert.Null(LookJson.Parse(text[..^7]));
        Assert.Null(LookJson.Parse("Fatal error. System.AccessViolationException"));
        var reading = Read(Pool(1, 2, 3, 4, 5), Queue(8), new LookLine { Threads = 9 }, Thread(1, "S", []));
        Assert.True(reading.HasPool);
        Assert.False(reading.Complete);
        Assert.Equal(9, reading.ThreadsNotRead); // the one thread that was read has an empty stack
    }
}
