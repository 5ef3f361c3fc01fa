using Poolscope.PerfEvents.Capture.Writing;

namespace Poolscope.PerfEvents.Capture.Rings;

/// <summary>What all rings hold at one moment, and which of it is wanted.</summary>
/// <param name="filter">Null: everything is wanted.</param>
internal sealed class RingLook(IReadOnlyList<RingBuffer> rings, TargetFilter? filter)
{
    /// <summary>Of each ring: whole records, in order.</summary>
    private readonly List<Range>[] _wanted = [.. rings.Select(_ => new List<Range>())];

    /// <summary>Takes note of what the rings hold, and chooses from it. Nothing is copied yet.</summary>
    internal void Look()
    {
        for (var i = 0; i < rings.Count; i++)
        {
            var content = rings[i].Peek();
            if (filter is null)
            {
                _wanted[i].Clear();
                _wanted[i].Add(0..content.Length);
            }
        }

        if (filter is not null)
        {
            Choose(filter);
        }
    }

    /// <summary>Copies what is wanted of a ring into the file, and gives the ring's room back to the kernel.</summary>
    internal void Take(int ring, WriteBehind file, RecordSieve sieve)
    {
        var content = rings[ring].Peeked;
        if (content.Length > 0)
        {
            Copy(content, _wanted[ring], file, sieve);
        }

        rings[ring].Release();
    }

    private static void Copy(in RingContent content, List<Range> wanted, WriteBehind file, RecordSieve sieve)
    {
        var room = file.Room();
        var filled = 0;
        foreach (var part in wanted)
        {
            var end = part.End.Value;
            for (var at = part.Start.Value; at < end;)
            {
                var copied = content.CopyTo(at, room[filled..Math.Min(room.Length, filled + end - at)]);
                (at, filled) = (at + copied, filled + copied);
                if (filled == room.Length)
                {
                    file.Commit(sieve.Sift(room, out var taken));
                    at -= filled - taken; // the record that did not fit in whole
                    room = file.Room();
                    filled = 0;
                }
            }
        }

        file.Commit(sieve.Sift(room[..filled], out _));
    }

    /// <summary>What is chosen from was fixed first, and only then the births are learnt: the birth of a thread that has events in
    /// one ring may stand in another one, which was examined before.</summary>
    private void Choose(TargetFilter chooser)
    {
        var learnt = false;
        for (var i = 0; i < rings.Count; i++)
        {
            learnt |= chooser.Choose(rings[i].Peeked, _wanted[i]);
        }

        foreach (var ring in rings)
        {
            learnt |= chooser.Learn(ring.LookAhead());
        }

        for (var i = 0; learnt && i < rings.Count; i++)
        {
            _ = chooser.Choose(rings[i].Peeked, _wanted[i]);
        }
    }
}
