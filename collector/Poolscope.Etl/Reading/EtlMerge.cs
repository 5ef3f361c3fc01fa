using Poolscope.Etl.Format;

namespace Poolscope.Etl.Reading;

/// <summary>Merges the events of one or several files in order of time. A processor's buffers follow one another in
/// time, wherever they are in the file: a circular file begins in its middle. So the merge reads a buffer when its time
/// has come, and frees it after its last event. Memory: one buffer per processor, and for damaged files at most what
/// <see cref="EtlFile"/> accepts.</summary>
public sealed class EtlMerge : IDisposable
{
    // An interrupt can write its event to the next buffer while the interrupted write still has the previous one open.
    private const long LatestNs = 1_000_000;

    private readonly IReadOnlyList<EtlFile> _files;
    private readonly List<(int File, int Place)> _closed = [];
    private readonly PriorityQueue<OpenBuffer, (long Time, int Order)> _open = new();
    private readonly EtlLosses _losses = new();
    private OpenBuffer? _current;
    private int _nextClosed;
    private int _opened;
    private long _time = long.MinValue;

    /// <param name="files">Files of one machine. Disposing of the merge leaves them open.</param>
    public EtlMerge(IReadOnlyList<EtlFile> files)
    {
        ArgumentNullException.ThrowIfNull(files);
        _files = files;
        for (var file = 0; file < files.Count; file++)
        {
            _closed.AddRange(Enumerable.Range(0, files[file].Places.Count).Select(place => (file, place)));
        }

        if (files.Count > 1)
        {
            _closed.Sort((a, b) => (Place(a).FirstNs, a).CompareTo((Place(b).FirstNs, b)));
        }
    }

    /// <summary>The first fault in the buffers; null: none so far.</summary>
    public string? Damage { get; private set; }

    /// <summary>Time of the last event of the buffer that ended first; <see cref="long.MaxValue"/>: none has ended. A
    /// circular file overwrites its oldest buffers, so it may lack events before that time.</summary>
    public long FirstEndNs { get; private set; } = long.MaxValue;

    /// <summary>The event that <see cref="Next"/> moved to. Valid until the next call.</summary>
    public EtlEvent Current => (_current ?? throw new InvalidOperationException("There is no event.")).Peek(_time);

    /// <summary>Moves to the next event.</summary>
    /// <returns>False if there is none.</returns>
    public bool Next()
    {
        _current?.Skip();
        while (true)
        {
            if (_current is { IsEmpty: true } done)
            {
                _losses.Told(done.FileIndex, done.Cpu, done.LatestNs);
                FirstEndNs = done.IsFirst ? FirstEndNs : Math.Min(FirstEndNs, done.LatestNs);
                done.Dispose();
                _current = null;
            }

            OpenUpTo(_current?.NextNs ?? long.MaxValue);
            if (_open.TryPeek(out _, out var first) && (_current is null || first.Time < _current.NextNs))
            {
                var next = _current is null ? _open.Dequeue() : _open.DequeueEnqueue(_current, (_current.NextNs, _opened++));
                _current = next;
            }

            if (_current is null)
            {
                return false;
            }

            if (_current.NextNs >= _time - LatestNs || _time == long.MinValue)
            {
                _time = Math.Max(_time, _current.NextNs);
                return true;
            }

            Damage ??= $"{_files[_current.FileIndex].Name}: an event is older than those of a buffer before";
            _losses.Drop(_current.FileIndex, _current.Cpu, _current.NextNs);
            _current.Skip();
        }
    }

    /// <summary>Returns the time up to which truncated files are complete. Each processor's last buffer may be missing,
    /// so events may be missing from the last event of the processor that ended first. Call after the last
    /// event.</summary>
    /// <param name="after">Processors without events after this time do not count.</param>
    /// <returns><see cref="long.MaxValue"/> if no file was truncated.</returns>
    public long CutNs(long after) => _losses.FirstEnd(file => _files[file].IsCut, after);

    /// <summary>Returns the gaps between the events, in no order. Call after the last event.</summary>
    public IReadOnlyList<EtlLoss> Losses() => _losses.Finish();

    public void Dispose()
    {
        _current?.Dispose();
        _current = null;
        while (_open.TryDequeue(out var buffer, out _))
        {
            buffer.Dispose();
        }
    }

    /// <summary>Reads the buffers that begin before the next event of the open buffers.</summary>
    private void OpenUpTo(long current)
    {
        while (_nextClosed < _closed.Count)
        {
            var next = _open.TryPeek(out _, out var first) ? Math.Min(first.Time, current) : current;
            var (file, index) = _closed[_nextClosed];
            var place = _files[file].Places[index];
            if (place.FirstNs > next)
            {
                return;
            }

            _nextClosed++;
            var buffer = OpenBuffer.Open(_files[file], file, place);
            _losses.Opened(file, place, buffer);
            Damage ??= buffer.Damage is { } damage ? $"{_files[file].Name}: {damage}" : null;
            if (buffer.IsEmpty)
            {
                buffer.Dispose();
            }
            else
            {
                _open.Enqueue(buffer, (buffer.NextNs, _opened++));
            }
        }
    }

    private BufferPlace Place((int File, int Place) at) => _files[at.File].Places[at.Place];
}
