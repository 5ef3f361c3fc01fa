using System.Buffers.Binary;
using Poolscope.Decode.Nettrace.Blocks;
using Poolscope.Decode.Nettrace.Values;
using Xunit;

namespace Poolscope.Decode.Tests.Nettrace;

/// <summary>Streams of several threads as the runtime writes them, with missing numbers and many equal times, are
/// merged as by following the rules event by event.</summary>
public sealed class EventMergeTests
{
    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 2)]
    [InlineData(3, 7)]
    [InlineData(4, 40)]
    public void Events_come_in_the_order_that_the_rules_say(int seed, int threads)
    {
        var random = new Random(seed);
        var events = Stream(random, threads);
        var merged = new List<int>();
        var merge = new EventMerge((block, entries) =>
        {
            foreach (var entry in entries)
            {
                merged.Add(BinaryPrimitives.ReadInt32LittleEndian(block.Events[entry.Offset..]));
                Assert.Equal(sizeof(int), entry.Length);
            }
        });
        var (order, losses) = (new EventOrder(), new EventLosses());
        foreach (var part in Parts(random, events))
        {
            var block = BlockWriter.Checked(part);
            order.Check(block);
            losses.AddEvents(block);
            merge.Add(block);
            block.Release();
        }

        merge.Finish();

        Assert.Equal(Ordered(events), merged);
        Assert.Equal(EventLosses.Merged(Lost(events)), losses.Merged());
    }

    [Theory]
    [InlineData(10, 9, 11)]
    [InlineData(10, 12, 11)]
    public void A_thread_that_goes_back_in_time_is_damage(long first, long second, long third)
    {
        var block = BlockWriter.Checked([new(5, 1, first, true, 0), new(5, 2, second, false, 1), new(5, 3, third, false, 2)]);
        Assert.Contains("older than those before it", Assert.Throws<NettraceDamage>(() => new EventOrder().Check(block)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void What_is_older_than_a_sorted_event_is_damage()
    {
        var order = new EventOrder();
        order.Check(BlockWriter.Checked([new(5, 1, 100, true, 0), new(5, 2, 110, false, 1)]));
        order.Check(BlockWriter.Checked([new(6, 1, 100, false, 2)]));
        Assert.Throws<NettraceDamage>(() => order.Check(BlockWriter.Checked([new(7, 1, 99, false, 3)])));
    }

    /// <summary>Writes a stream as the runtime does: it takes the thread with the oldest event, marks this event as
    /// sorted, and writes the contents of the thread's buffer.</summary>
    private static List<WrittenEvent> Stream(Random random, int threads)
    {
        var waiting = Enumerable.Range(0, threads).Select(thread => Thread(random, 100 + thread)).ToList();
        var events = new List<WrittenEvent>();
        while (waiting.Count > 0)
        {
            var oldest = waiting.MinBy(queue => queue.Peek().Ticks)!;
            var sorted = true;
            for (var count = random.Next(1, 60); count > 0 && oldest.TryDequeue(out var next); count--)
            {
                events.Add(next with { Sorted = sorted, Id = events.Count });
                sorted = false;
            }

            waiting.RemoveAll(queue => queue.Count == 0);
        }

        return events;
    }

    private static Queue<WrittenEvent> Thread(Random random, long thread)
    {
        var events = new Queue<WrittenEvent>();
        var (number, ticks) = (0U, (long)random.Next(1, 50));
        for (var count = random.Next(1, 400); count > 0; count--)
        {
            number += random.Next(30) == 0 ? 3U : 1U;
            ticks += random.Next(4) * random.Next(3);
            events.Enqueue(new WrittenEvent(thread, number, ticks, false, 0));
        }

        return events;
    }

    private static IEnumerable<IReadOnlyList<WrittenEvent>> Parts(Random random, List<WrittenEvent> events)
    {
        for (var at = 0; at < events.Count;)
        {
            var count = Math.Min(random.Next(1, 90), events.Count - at);
            yield return events.GetRange(at, count);
            at += count;
        }
    }

    private static List<int> Ordered(IEnumerable<WrittenEvent> events)
    {
        var (ordered, kept, seen) = (new List<int>(), new List<WrittenEvent>(), new List<long>());
        foreach (var e in events)
        {
            if (!seen.Contains(e.Thread))
            {
                seen.Add(e.Thread);
            }

            if (e.Sorted)
            {
                GiveOut(e.Ticks);
                ordered.Add(e.Id);
            }
            else
            {
                kept.Add(e);
            }
        }

        GiveOut(long.MaxValue);
        return ordered;

        void GiveOut(long before)
        {
            var older = kept.Where(e => e.Ticks < before).OrderBy(e => e.Ticks).ThenBy(e => seen.IndexOf(e.Thread)).ThenBy(e => e.Id);
            ordered.AddRange(older.Select(e => e.Id).ToList());
            kept.RemoveAll(e => e.Ticks < before);
        }
    }

    private static IEnumerable<EventLoss> Lost(IEnumerable<WrittenEvent> events) => events.GroupBy(e => e.Thread).SelectMany(thread =>
        thread.Zip(thread.Skip(1)).Where(pair => pair.Second.Number > pair.First.Number + 1)
            .Select(pair => new EventLoss(pair.First.Ticks, pair.Second.Ticks, pair.Second.Number - pair.First.Number - 1)));
}
