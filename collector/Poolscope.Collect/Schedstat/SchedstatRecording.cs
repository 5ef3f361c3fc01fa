using Poolscope.Collect.Facts;
using Poolscope.Collect.Kernel;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Schedstat;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Schedstat;

/// <summary>A running poll of a process's threads, on a thread of its own. It ends when stopped, at the size it was given,
/// or when the file cannot be written.</summary>
internal sealed partial class SchedstatRecording : IKernelStream
{
    /// <summary>This much of the file is lost at most when this process is killed.</summary>
    private const long FlushEveryNs = 1_000_000_000;

    private readonly TimeSpan _step;
    private readonly long _maxBytes;
    private readonly int _pid;
    private SchedstatWriter _writer;
    private readonly ThreadPoll _poll;
    private readonly ManualResetEvent _stop = new(false);
    private readonly Thread _thread;
    private readonly Lock _lock = new();
    private KernelProgress _progress;
    private bool _stopped;

    /// <exception cref="IOException">The folder cannot be written to.</exception>
    public SchedstatRecording(ProcFs proc, KernelRequest request)
    {
        (_step, _maxBytes, _pid) = (request.PollStep, request.MaxBytes, request.TargetPid);
        _writer = new SchedstatWriter(request.Folder, request.PollStep, MonotonicClock.NowNs, request.TargetPid);
        try
        {
            _poll = new ThreadPoll(proc, request.TargetPid, _writer);
        }
        catch
        {
            _writer.Dispose();
            throw;
        }

        StartNs = _segmentStartNs = MonotonicClock.NowNs;
        _thread = new Thread(Run) { IsBackground = true, Name = "poolscope-poll" };
        _thread.Start();
    }

    public string FileName => SchedstatFormat.FileName;

    public string Tier => SchedstatFormat.Tier;

    public long StartNs { get; }

    public string? Failure { get; private set; }

    public TimeSpan? PollStep => _step;

    public KernelProgress Progress
    {
        get
        {
            lock (_lock)
            {
                return _progress;
            }
        }
    }

    public void Stop()
    {
        if (_stopped)
        {
            return;
        }

        _stopped = true;
        _stop.Set();
        _thread.Join();
        _stop.Dispose();
        _poll.Dispose();
        try
        {
            _writer.Dispose();
        }
        catch (IOException e)
        {
            Failure ??= e.Message;
        }
    }

    public void Dispose() => Stop();

    private void Run()
    {
        try
        {
            Poll();
            _poll.Finish();
            _writer.Flush();
        }
        catch (IOException e)
        {
            Failure = e.Message;
        }

        Publish();
        _cuts.End(new IOException(Failure ?? "the recording has ended"));
    }

    private void Poll()
    {
        var step = _step.Ticks * TimeSpan.NanosecondsPerTick;
        var next = MonotonicClock.NowNs + step;
        var flushed = StartNs;
        while (!_stop.WaitOne(MillisecondsUntil(next)) && _writer.Bytes < _maxBytes)
        {
            _poll.Pass(all: false);
            CutIfAsked();
            var now = MonotonicClock.NowNs;
            if (now - flushed >= FlushEveryNs)
            {
                _writer.Flush();
                Publish();
                flushed = now;
            }

            next = Math.Max(next + step, now + (step / 2)); // what was missed is not made up for: counters only grow
        }
    }

    private static int MillisecondsUntil(long time) =>
        (int)Math.Clamp((time - MonotonicClock.NowNs + 500_000) / 1_000_000, 1, int.MaxValue);

    /// <summary>Called on the polling thread, whose own CPU time it reads.</summary>
    private void Publish()
    {
        lock (_lock)
        {
            _progress = new KernelProgress(_writer.Records, _writer.Bytes, 0, _writer.Bytes >= _maxBytes, Libc.ThreadCpuNs());
        }
    }
}
