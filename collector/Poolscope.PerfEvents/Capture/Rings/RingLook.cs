using Poolscope.PerfEvents.Capture.Writing;

namespace Poolscope.PerfEvents.Capture.Rings;

/// <summary>The contents of all rings at one moment, and the parts of them that are wanted.</summary>
/// <param name="filter">Null: everything is wanted.</param>
internal sealed class RingLook(IReadOnlyList<RingBuffer> rings, TargetFilter? filter)
{
    /// <summary>The wanted parts of each ring: whole records, in order.</summary>
    private readonly List<Range>[] _wanted = [.. rings.Select(_ => new List<Range>())];

    /// <summary>Notes the contents of the rings, and chooses from them. Nothing is copied yet.</summary>
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

    /// <summary>Copies the wanted records of a ring to the file, and returns the ring's space to the kernel.</summary>
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
                    at -= filled - taken; // the record that did not fit completely
                    room = file.Room();
                    filled = 0;
                }
            }
        }

        file.Commit(sieve.Sift(room[..filled], out _));
    }

    /// <summary>Chooses the target's records. The contents are fixed before births are learned: the birth of a thread
    /// with events in one ring may be in another ring, which was examined before.</summary>
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
