using System.Diagnostics;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.PerfEvents.Capture.Writing;

/// <summary>Carries records from the thread that empties the rings to one that writes them. A disk stalls for hundreds of
/// milliseconds when the kernel writes back what it has cached; meanwhile the rings are emptied into buffers, up to
/// 256 MiB of them. Each buffer ends with a whole record. All but the writing is done by one thread.</summary>
internal sealed class WriteBehind : IDisposable
{
    /// <summary>No record is longer: its length has 16 bits.</summary>
    internal const int MostRecordBytes = 1 << 16;

    private const int BufferBytes = 1 << 20;

    // At 40 MB/s (200,000 switches a second) a disk that stands still for six seconds: 64 MiB were full after a second and a
    // half, while other programs wrote. Where memory is short, a small part of it.
    private const int MostBuffers = 256;
    private const int ShareOfMemory = 32;

    private readonly Thread _thread;
    private readonly Lock _lock = new();
    private readonly Queue<Buffer> _full = [];
    private readonly Stack<Buffer> _free = [];
    private readonly AutoResetEvent _arrived = new(false);
    private readonly AutoResetEvent _freed = new(false);
    private readonly int _mostBuffers = (int)Math.Clamp(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / ShareOfMemory / BufferBytes, 2, MostBuffers);
    private PerfDataWriter _writer;
    private Buffer _current;
    private int _buffers = 1;
    private bool _ended;
    private bool _idle = true;
    private long _cpuNs;
    private volatile IOException? _failure;

    internal WriteBehind(PerfDataWriter writer)
    {
        _writer = writer;
        _current = new Buffer { Writer = writer };
        Position = writer.Position;
        _thread = new Thread(Run) { IsBackground = true, Name = "poolscope-write" };
    }

    /// <summary>Size of the file once everything is written, bytes; after a failure, the size that it has.</summary>
    internal long Position { get; private set; }

    /// <summary>How long the emptying of the rings waited for the disk, ns.</summary>
    internal long StalledNs { get; private set; }

    /// <summary>CPU time of the writing thread, ns; as of its last buffer.</summary>
    internal long CpuNs => Volatile.Read(ref _cpuNs);

    internal void Start()
    {
        Position = _writer.Position;
        _thread.Start();
    }

    /// <summary>Room for more records; what of it is used, <see cref="Commit"/> says. Waits for the disk where all buffers are full.</summary>
    /// <returns>At least <see cref="MostRecordBytes"/> bytes.</returns>
    /// <exception cref="IOException">The file cannot be written any more.</exception>
    internal Span<byte> Room()
    {
        if (BufferBytes - _current.Length < MostRecordBytes)
        {
            HandOver();
        }

        return _current.Bytes.AsSpan(_current.Length);
    }

    /// <param name="bytes">Whole records at the start of what <see cref="Room"/> gave.</param>
    internal void Commit(int bytes)
    {
        _current.Length += bytes;
        Position += bytes;
    }

    /// <param name="records">Whole records.</param>
    internal void Append(ReadOnlySpan<byte> records)
    {
        records.CopyTo(Room());
        Commit(records.Length);
    }

    /// <summary>Lets a writer that has nothing to do begin.</summary>
    /// <exception cref="IOException">The file cannot be written any more.</exception>
    internal void Push()
    {
        bool idle;
        lock (_lock)
        {
            idle = _idle;
        }

        if (idle && _current.Length > 0)
        {
            HandOver();
        }
    }

    /// <summary>Writes what comes from now on into another file. The one before is closed when everything before is in it.</summary>
    /// <returns>Size of the one before; completes when it is closed, or cannot be written any further.</returns>
    /// <exception cref="IOException">The file cannot be written any more.</exception>
    internal (long Bytes, Task Closed) SwitchTo(PerfDataWriter next)
    {
        var bytes = Position;
        var closed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _current.Closes = closed;
        _writer = next;
        HandOver();
        Position = next.Position;
        return (bytes, closed.Task);
    }

    /// <summary>Returns when everything is in the file, or cannot be.</summary>
    /// <returns>Why it cannot; null: it is.</returns>
    internal IOException? Finish()
    {
        lock (_lock)
        {
            _full.Enqueue(_current);
            _ended = true;
        }

        _arrived.Set();
        if (_thread.IsAlive)
        {
            _thread.Join();
        }

        Position = _writer.Position;
        return _failure;
    }

    public void Dispose()
    {
        _arrived.Dispose();
        _freed.Dispose();
    }

    private void HandOver()
    {
        lock (_lock)
        {
            _full.Enqueue(_current);
            _idle = false;
        }

        _arrived.Set();
        _current = Next();
        _current.Writer = _writer;
    }

    private Buffer Next()
    {
        var began = 0L;
        while (_failure is null)
        {
            lock (_lock)
            {
                if (_free.TryPop(out var free))
                {
                    StalledNs += began == 0 ? 0 : Stopwatch.GetElapsedTime(began).Ticks * TimeSpan.NanosecondsPerTick;
                    return free;
                }
            }

            if (_buffers < _mostBuffers)
            {
                _buffers++;
                return new Buffer();
            }

            began = began == 0 ? Stopwatch.GetTimestamp() : began;
            _freed.WaitOne();
        }

        throw _failure;
    }

    private void Run()
    {
        while (true)
        {
            _arrived.WaitOne();
            while (Take() is { } buffer)
            {
                Write(buffer);
                lock (_lock)
                {
                    _free.Push(buffer);
                    _idle = _full.Count == 0;
                }

                Volatile.Write(ref _cpuNs, Libc.ThreadCpuNs());
                _freed.Set();
            }

            lock (_lock)
            {
                if (_ended && _full.Count == 0)
                {
                    return;
                }
            }
        }
    }

    private Buffer? Take()
    {
        lock (_lock)
        {
            return _full.TryDequeue(out var buffer) ? buffer : null;
        }
    }

    private void Write(Buffer buffer)
    {
        var writer = buffer.Writer!;
        var before = writer.Position;
        try
        {
            if (_failure is null)
            {
                writer.Append(buffer.Bytes.AsSpan(0, buffer.Length));
                writer.BeginWriteBack();
            }
        }
        catch (IOException failure)
        {
            _failure = failure;
            TakeBack(writer, before);
        }

        buffer.Length = 0;
        if (buffer.Closes is { } closes)
        {
            buffer.Closes = null;
            writer.Dispose();
            closes.SetResult();
        }
    }

    /// <summary>No record in part, and room for the features.</summary>
    private static void TakeBack(PerfDataWriter writer, long position)
    {
        try
        {
            writer.TruncateTo(position);
        }
        catch (IOException)
        {
            // The file keeps a record in part, which readers of a cut file pass over.
        }
    }

    private sealed class Buffer
    {
        internal byte[] Bytes { get; } = GC.AllocateUninitializedArray<byte>(BufferBytes);

        internal int Length { get; set; }

        internal PerfDataWriter? Writer { get; set; }

        /// <summary>It is the last of its file, which is then closed; null: it is not.</summary>
        internal TaskCompletionSource? Closes { get; set; }
    }
}
