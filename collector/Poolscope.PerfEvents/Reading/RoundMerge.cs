using System.Runtime.CompilerServices;

namespace Poolscope.PerfEvents.Reading;

/// <summary>Puts the records of several CPUs in order of time. Each CPU's records come nearly in order. The recorder's
/// finished rounds bound how far the CPUs may be apart, and so the memory (32 bytes per record of two
/// rounds).</summary>
internal sealed class RoundMerge
{
    private readonly List<CpuQueue> _queues = [];
    private readonly List<CpuQueue> _heap = [];
    private CpuQueue?[] _byCpu = new CpuQueue?[64];

    /// <returns>False if the record was not added, because it is older than too many of its CPU's records: the file
    /// must be damaged.</returns>
    internal bool Add(in FoundRecord record) => QueueOf(record.Cpu).Add(record);

    private CpuQueue QueueOf(int cpu)
    {
        if (cpu >= _byCpu.Length)
        {
            Array.Resize(ref _byCpu, Math.Max(cpu + 1, 2 * _byCpu.Length));
        }

        var queue = _byCpu[cpu];
        if (queue is null)
        {
            queue = _byCpu[cpu] = new CpuQueue();
            _queues.Add(queue);
        }

        return queue;
    }

    /// <summary>Returns the time of this CPU's newest record so far, or -1 if there is none.</summary>
    internal long Newest(int cpu) => cpu < _byCpu.Length ? _byCpu[cpu]?.Newest ?? -1 : -1;

    /// <summary>Passes on every record up to a time, in order of time.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)] // a loop over many records, called rarely
    internal void Flush<TConsumer>(long upTo, ref TConsumer consumer)
        where TConsumer : IRecordConsumer, allows ref struct
    {
        _heap.Clear();
        foreach (var queue in _queues)
        {
            if (!queue.IsEmpty)
            {
                _heap.Add(queue);
            }
        }

        for (var i = (_heap.Count / 2) - 1; i >= 0; i--)
        {
            SiftDown(i);
        }

        while (_heap.Count > 0 && _heap[0].HeadTime <= upTo)
        {
            // A CPU often has several records before any other's next: take them at once.
            var first = _heap[0];
            var limit = Math.Min(upTo, NextHeadTime());
            while (!first.IsEmpty && first.HeadTime <= limit)
            {
                consumer.Consume(first.Take());
            }

            if (first.IsEmpty)
            {
                _heap[0] = _heap[^1];
                _heap.RemoveAt(_heap.Count - 1);
            }

            SiftDown(0);
        }

        foreach (var queue in _queues)
        {
            queue.Compact();
        }
    }

    private long NextHeadTime() => _heap.Count switch
    {
        1 => long.MaxValue,
        2 => _heap[1].HeadTime,
        _ => Math.Min(_heap[1].HeadTime, _heap[2].HeadTime),
    };

    private void SiftDown(int parent)
    {
        while (true)
        {
            var child = (2 * parent) + 1;
            if (child >= _heap.Count)
            {
                return;
            }

            if (child + 1 < _heap.Count && _heap[child + 1].HeadTime < _heap[child].HeadTime)
            {
                child++;
            }

            if (_heap[parent].HeadTime <= _heap[child].HeadTime)
            {
                return;
            }

            (_heap[parent], _heap[child]) = (_heap[child], _heap[parent]);
            parent = child;
        }
    }

    private sealed class CpuQueue
    {
        // Each place costs a move. A file whose records run backwards would cost the square of their number.
        private const int FarthestOvertaken = 64;

        private FoundRecord[] _entries = new FoundRecord[1024];
        private int _head;
        private int _end;

        internal bool IsEmpty => _head == _end;

        internal long HeadTime => _entries[_head].Time;

        internal long Newest { get; private set; } = -1;

        internal bool Add(in FoundRecord record)
        {
            var time = record.Time;
            if (_end - _head >= FarthestOvertaken && _entries[_end - FarthestOvertaken].Time > time)
            {
                return false;
            }

            if (_end == _entries.Length)
            {
                Array.Resize(ref _entries, 2 * _end);
            }

            var at = _end++;
            if (time < Newest)
            {
                // An interrupt's record can overtake the record of the code that it interrupted, by a place or two.
                for (; at > _head && _entries[at - 1].Time > time; at--)
                {
                    _entries[at] = _entries[at - 1];
                }
            }
            else
            {
                Newest = time;
            }

            _entries[at] = record;
            return true;
        }

        internal ref readonly FoundRecord Take() => ref _entries[_head++];

        internal void Compact()
        {
            Array.Copy(_entries, _head, _entries, 0, _end - _head);
            _end -= _head;
            _head = 0;
        }
    }
}

/// <summary>Receives records in order of time.</summary>
internal interface IRecordConsumer
{
    void Consume(in FoundRecord record);
}
