using Poolscope.Collect.Facts;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Schedstat;

namespace Poolscope.Collect.Schedstat;

/// <summary>Reads the counters of every thread of a process once per pass and writes those that changed. The order of
/// events between two passes is lost, and a thread that lived only in between is not seen at all.</summary>
internal sealed class ThreadPoll : IDisposable
{
    private readonly ProcFs _proc;
    private readonly int _pid;
    private readonly ThreadFolder _folder;
    private readonly List<WatchedThread> _threads = [];
    private readonly byte[] _buffer = new byte[WatchedThread.BufferBytes];
    private SchedstatWriter _writer;
    private long _lastPass;

    public ThreadPoll(ProcFs proc, int pid, SchedstatWriter writer)
    {
        (_proc, _pid, _writer) = (proc, pid, writer);
        _folder = new ThreadFolder(proc, pid);
        Pass(all: true);
    }

    public int Threads => _threads.Count;

    /// <param name="all">Whether to check sleeping threads for a wake-up, which costs a second read of each.</param>
    public void Pass(bool all)
    {
        var started = MonotonicClock.NowNs;
        var kept = 0;
        for (var i = 0; i < _threads.Count; i++)
        {
            var thread = _threads[i];
            if (Read(thread, all))
            {
                _threads[kept++] = thread;
            }
            else
            {
                _writer.Write(new SchedstatRecord(SchedstatRecordKind.Ended, thread.Tid, MonotonicClock.NowNs, thread.ReadAt, 0, 0, 0, '?'));
                thread.Dispose();
            }
        }

        _threads.RemoveRange(kept, _threads.Count - kept);
        if (_folder.Count() != kept)
        {
            FindNew();
        }

        _lastPass = started;
    }

    /// <summary>Continues in another file, which begins with the counters of every thread as last read.</summary>
    public void GoOnIn(SchedstatWriter writer)
    {
        _writer = writer;
        foreach (var thread in _threads)
        {
            Write(SchedstatRecordKind.Reading, thread, thread.ReadAt);
            _writer.WriteName(thread.Tid, thread.ReadAt, thread.Name);
        }
    }

    public void Finish()
    {
        Pass(all: true);
        _writer.Write(new SchedstatRecord(SchedstatRecordKind.Finished, _pid, MonotonicClock.NowNs, _lastPass, 0, 0, 0, '?'));
    }

    public void Dispose()
    {
        _threads.ForEach(thread => thread.Dispose());
        _folder.Dispose();
    }

    private void FindNew()
    {
        var known = _threads.Select(thread => thread.Tid).ToHashSet();
        foreach (var tid in _folder.List())
        {
            if (known.Contains(tid) || WatchedThread.Open(_proc, _pid, tid) is not { } thread)
            {
                continue;
            }

            var now = MonotonicClock.NowNs;
            if (!thread.TryReadCounters(_buffer, out var counters) || !ReadStat(thread, now))
            {
                thread.Dispose();
                continue;
            }

            (thread.ReadAt, thread.Counters) = (now, counters);
            _threads.Add(thread);
            var (kind, previous) = _lastPass > 0 ? (SchedstatRecordKind.Born, _lastPass) : (SchedstatRecordKind.Reading, now);
            Write(kind, thread, previous);
            _writer.WriteName(tid, now, thread.Name);
        }
    }

    private bool Read(WatchedThread thread, bool all)
    {
        var now = MonotonicClock.NowNs;
        if (!thread.TryReadCounters(_buffer, out var counters))
        {
            return false;
        }

        var (previous, changed, state) = (thread.ReadAt, counters != thread.Counters, thread.State);
        (thread.ReadAt, thread.Counters) = (now, counters);
        if (changed || all || state == 'R')
        {
            if (!ReadStat(thread, now))
            {
                return false;
            }

            if (changed || state != thread.State)
            {
                Write(SchedstatRecordKind.Reading, thread, previous);
            }
        }

        return true;
    }

    private bool ReadStat(WatchedThread thread, long now)
    {
        if (!thread.TryReadStat(_buffer, out var stat))
        {
            return false;
        }

        thread.State = stat.State;
        if (thread.Rename(stat.Name) && thread.ReadAt > 0)
        {
            _writer.WriteName(thread.Tid, now, thread.Name);
        }

        return true;
    }

    private void Write(SchedstatRecordKind kind, WatchedThread thread, long previous) => _writer.Write(new SchedstatRecord(
        kind, thread.Tid, thread.ReadAt, previous, thread.Counters.RunNs, thread.Counters.WaitNs, thread.Counters.Slices, thread.State));
}
