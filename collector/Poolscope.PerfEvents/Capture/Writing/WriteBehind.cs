using System.Diagnostics;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.PerfEvents.Capture.Writing;

/// <summary>Passes records from the thread that empties the rings to one that writes them. A disk stalls for hundreds
/// of milliseconds when the kernel writes back its cache. Meanwhile the rings are emptied into buffers, up to 256 MiB
/// of them. Each buffer ends with a whole record. One thread does everything but the writing.</summary>
internal sealed class WriteBehind : IDisposable
{
    /// <summary>The maximum length of a record, whose length field has 16 bits.</summary>
    internal const int MostRecordBytes = 1 << 16;

    private const int BufferBytes = 1 << 20;

    // Enough for a disk that stalls for six seconds at 40 MB/s (200,000 switches per second). While other programs
    // wrote, 64 MiB were full after a second and a half. On a small machine, a share of its memory.
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

    /// <summary>The size of the file once everything is written, bytes; after a failure, its actual size.</summary>
    internal long Position { get; private set; }

    /// <summary>Time that the emptying of the rings waited for the disk, ns.</summary>
    internal long StalledNs { get; private set; }

    /// <summary>CPU time of the writing thread, ns; as of its last buffer.</summary>
    internal long CpuNs => Volatile.Read(ref _cpuNs);

    internal void Start()
    {
        Position = _writer.Position;
        _thread.Start();
    }

    /// <summary>Returns space for more records. <see cref="Commit"/> says how much of it is used. Waits for the disk if
    /// all buffers are full.</summary>
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

    /// <param name="bytes">Length of the whole records at the start of the space that <see cref="Room"/>
    /// returned.</param>
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

    /// <summary>Hands the records over if the writing thread has nothing to do.</summary>
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

    /// <summary>Writes later records to another file. The previous file is closed once it has all earlier
    /// records.</summary>
    /// <returns>The size of the previous file, and a task that completes when it is closed, even after a
    /// failure.</returns>
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

    /// <summary>Returns when everything is in the file, or cannot be written.</summary>
    /// <returns>The error; null: everything was written.</returns>
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

    /// <summary>Removes an incomplete record, which also leaves room for the features.</summary>
    private static void TakeBack(PerfDataWriter writer, long position)
    {
        try
        {
            writer.TruncateTo(position);
        }
        catch (IOException)
        {
            // The file keeps an incomplete record, which readers of a truncated file skip.
        }
    }

    private sealed class Buffer
    {
        internal byte[] Bytes { get; } = GC.AllocateUninitializedArray<byte>(BufferBytes);

        internal int Length { get; set; }

        internal PerfDataWriter? Writer { get; set; }

        /// <summary>Set on the last buffer of a file, which is then closed; null on others.</summary>
        internal TaskCompletionSource? Closes { get; set; }
    }
}
