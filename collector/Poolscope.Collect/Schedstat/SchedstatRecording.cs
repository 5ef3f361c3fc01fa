using Poolscope.Collect.Facts;
using Poolscope.Collect.Kernel;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Schedstat;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Schedstat;

/// <summary>Polls a process's threads on a separate thread. It ends when it is stopped, at its size limit, or if the
/// file cannot be written.</summary>
internal sealed partial class SchedstatRecording : IKernelStream
{
    /// <summary>The time between flushes, in ns: a killed collector loses at most this much of the file.</summary>
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

    /// <exception cref="IOException">The folder cannot be written.</exception>
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

            next = Math.Max(next + step, now + (step / 2)); // missed polls are not made up for: counters only grow
        }
    }

    private static int MillisecondsUntil(long time) =>
        (int)Math.Clamp((time - MonotonicClock.NowNs + 500_000) / 1_000_000, 1, int.MaxValue);

    /// <summary>Updates the progress. Only the polling thread may call it: it reads the caller's CPU time.</summary>
    private void Publish()
    {
        lock (_lock)
        {
            _progress = new KernelProgress(_writer.Records, _writer.Bytes, 0, _writer.Bytes >= _maxBytes, Libc.ThreadCpuNs());
        }
    }
}
