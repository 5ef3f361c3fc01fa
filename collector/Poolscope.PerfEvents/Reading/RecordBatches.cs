using System.Collections.Concurrent;

namespace Poolscope.PerfEvents.Reading;

/// <summary>Passes records in order of time from the thread that finds them in the file to the one that decodes them.
/// The finder calls <see cref="Consume"/> and <see cref="Complete"/>, the decoder <see cref="Next"/> and
/// <see cref="Return"/>.</summary>
internal sealed class RecordBatches(CancellationToken cancellation) : IRecordConsumer, IDisposable
{
    private const int BatchRecords = 1 << 13;

    // How far the finder may be ahead. At 32 bytes per record: 4 MiB.
    private const int MostBatches = 16;

    private readonly BlockingCollection<Batch> _full = new(MostBatches);
    private readonly ConcurrentBag<Batch> _free = [];
    private Batch _current = new();

    /// <exception cref="OperationCanceledException">The decoder needs no more records.</exception>
    public void Consume(in FoundRecord record)
    {
        if (_current.Count == BatchRecords)
        {
            _full.Add(_current, cancellation);
            _current = _free.TryTake(out var free) ? free : new Batch();
        }

        _current.Records[_current.Count++] = record;
    }

    /// <summary>Marks the end of the records.</summary>
    internal void Complete()
    {
        try
        {
            _full.Add(_current, cancellation);
        }
        catch (OperationCanceledException)
        {
            // The decoder needs no more records.
        }

        _full.CompleteAdding();
    }

    /// <returns>Null if there are no more.</returns>
    internal Batch? Next() => _full.TryTake(out var batch, Timeout.Infinite) ? batch : null;

    internal void Return(Batch batch)
    {
        batch.Count = 0;
        _free.Add(batch);
    }

    public void Dispose() => _full.Dispose();

    internal sealed class Batch
    {
        internal FoundRecord[] Records { get; } = new FoundRecord[BatchRecords];

        internal int Count { get; set; }
    }
}
