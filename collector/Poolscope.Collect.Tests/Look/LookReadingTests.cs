using Poolscope.Look.Lines;
using Xunit;
using static Poolscope.Collect.Tests.Look.Readings;

namespace Poolscope.Collect.Tests.Look;

public sealed class LookReadingTests
{
    [Fact]
    public void Lines_are_read_as_they_were_written()
    {
        LookLine[] lines = [Pool(1, 2, 3, 4, 5, 6, 7), Queue(8, 9), Thread(1, "S", ["shop!Shop.Orders<T>.Get"]), new LookLine { Error = "no" }];
        var read = lines.Select(line => LookJson.Parse(LookJson.Text(line))!).ToList();
        Assert.Equal(lines[0], read[0]);
        Assert.Equal(8, read[1].Queues!.Length);
        Assert.Equal(["shop!Shop.Orders<T>.Get"], read[2].Thread!.Frames);
        Assert.Equal("no", read[3].Error);
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
        Assert.Equal(9, reading.ThreadsNotRead); // the one that came has an empty stack
    }
}
