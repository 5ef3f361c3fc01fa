using System.Diagnostics;
using Poolscope.PerfEvents.Capture.Events;
using Poolscope.PerfEvents.Capture.Writing;
using Poolscope.PerfEvents.Linux;
using Poolscope.PerfEvents.Reading;

namespace Poolscope.PerfEvents.Capture.Rings;

/// <summary>Empties all rings on one thread. The thread only copies; another one writes (<see cref="WriteBehind"/>). It
/// ends on request, at the size limit, or when the file cannot be written, and then disables the events.</summary>
internal sealed unsafe class RingDrain : IDisposable
{
    // poll reports a ring once, when it gets half full. The thread empties every ring at least this often.
    private const int PollMilliseconds = 100;

    private static readonly TimeSpan PublishEvery = TimeSpan.FromMilliseconds(100);

    // Space for the features and the last finished round.
    private const long ReserveBytes = 64 << 10;

    private readonly IReadOnlyList<RingBuffer> _rings;
    private readonly IReadOnlyList<IOpenEvent> _events;
    private readonly WriteBehind _file;
    private readonly RingLook _look;
    private readonly long _stopAtBytes;
    private readonly RecordSieve[] _sieves;
    private readonly int _wake;
    private readonly Thread _thread;
    private readonly CutRequests<PerfDataWriter, DrainCut> _cuts = new();
    private readonly Lock _progressLock = new();
    private SchedulerRecordingProgress _progress;
    private volatile bool _stopping;
    private bool _reachedMaxBytes;

    /// <param name="events">The events of all rings.</param>
    /// <param name="writer">No other code may use it until <see cref="Stop"/> has returned.</param>
    /// <param name="switchIds">Finds switch records that say nothing new, to drop them; null: the recording has
    /// none.</param>
    /// <param name="filter">Null: everything is written.</param>
    internal RingDrain(
        IReadOnlyList<RingBuffer> rings,
        IReadOnlyList<IOpenEvent> events,
        PerfDataWriter writer,
        long maxBytes,
        int ringBytes,
        EventTable? switchIds,
        TargetFilter? filter)
    {
        (_rings, _events, _file, _look) = (rings, events, new WriteBehind(writer), new RingLook(rings, filter));
        // The records in the rings when the events are disabled must still fit.
        _stopAtBytes = maxBytes - ((long)rings.Count * ringBytes) - ReserveBytes;
        _sieves = [.. rings.Select(_ => new RecordSieve(switchIds))];
        _wake = Libc.EventFd(0, 0);
        _thread = new Thread(Run) { IsBackground = true, Name = "poolscope-sched" };
    }

    /// <summary>The progress a tenth of a second ago; final once <see cref="Stop"/> has returned.</summary>
    internal SchedulerRecordingProgress Progress
    {
        get
        {
            lock (_progressLock)
            {
                return _progress;
            }
        }
    }

    /// <summary>The error that ended the writing; null: none.</summary>
    internal IOException? Failure { get; private set; }

    /// <summary>CLOCK_MONOTONIC ns at which the events were disabled.</summary>
    internal long EndNs { get; private set; }

    internal void Start()
    {
        _file.Start();
        _thread.Start();
    }

    /// <summary>Stops the thread, and returns when the last record is in the file.</summary>
    internal void Stop()
    {
        _stopping = true;
        Wake();
        _thread.Join();
    }

    /// <summary>Switches to another file: after a finished round, records go there. One call at a time.</summary>
    /// <exception cref="IOException">The recording has ended.</exception>
    internal DrainCut Cut(PerfDataWriter next) => _cuts.Ask(next, Wake);

    /// <summary>Notes the size of the file with its features.</summary>
    internal void Completed(long bytes)
    {
        lock (_progressLock)
        {
            _progress = _progress with { Bytes = bytes };
        }
    }

    public void Dispose()
    {
        _ = Libc.Close(_wake);
        _file.Dispose();
    }

    private void Run()
    {
        var fds = stackalloc Libc.PollFd[_rings.Count + 1];
        fds[0] = new Libc.PollFd { Fd = _wake, Events = Libc.PollIn };
        for (var i = 0; i < _rings.Count; i++)
        {
            fds[i + 1] = new Libc.PollFd { Fd = _rings[i].Fd, Events = Libc.PollIn };
        }

        try
        {
            var published = Stopwatch.GetTimestamp();
            while (!_stopping && !_reachedMaxBytes)
            {
                // The result does not matter: the thread examines every ring, no matter which one woke it.
                _ = Libc.Poll(fds, (nuint)_rings.Count + 1, PollMilliseconds);
                for (var i = 1; i <= _rings.Count; i++)
                {
                    if ((fds[i].Revents & Libc.PollHup) != 0)
                    {
                        fds[i].Fd = -1; // its thread has ended: poll would return at once every time
                    }
                }

                var before = Stopwatch.GetTimestamp();
                Pass();
                CutIfAsked(before);
                _reachedMaxBytes = _file.Position >= _stopAtBytes;
                if (Stopwatch.GetElapsedTime(published) >= PublishEvery)
                {
                    published = Stopwatch.GetTimestamp();
                    Publish(_sieves.Sum(s => s.Lost));
                }
            }
        }
        catch (IOException failure)
        {
            Failure = failure;
        }

        Finish();
        _cuts.End(Failure ?? new IOException("the recording has ended"));
    }

    private void Wake()
    {
        ulong one = 1;
        _ = Libc.Write(_wake, &one, sizeof(ulong));
    }

    /// <param name="passNs">CLOCK_MONOTONIC ns at which the last look at the rings began. Later records may still be in
    /// them.</param>
    private void CutIfAsked(long passNs)
    {
        if (_cuts.Next is not { } next)
        {
            return;
        }

        ulong count;
        _ = Libc.Read(_wake, &count, sizeof(ulong)); // otherwise poll would return at once
        var (bytes, closed) = _file.SwitchTo(next);
        foreach (var sieve in _sieves)
        {
            sieve.BeginFile();
        }

        _cuts.Answer(new DrainCut(bytes, closed, passNs, _sieves.Sum(s => s.Events), _sieves.Sum(s => s.Lost)));
    }

    private void Finish()
    {
        EndNs = Stopwatch.GetTimestamp();
        try
        {
            foreach (var open in _events)
            {
                open.Disable();
            }

            EndNs = Stopwatch.GetTimestamp();
            if (Failure is null)
            {
                Pass();
                ReportLossesAtTheEnd();
            }
        }
        catch (IOException failure)
        {
            Failure = failure;
        }

        Failure = _file.Finish() ?? Failure;
        Publish(_rings.Sum(CountedLost));
    }

    /// <summary>Empties every ring once. Records that a later pass finds on any CPU are younger than the beginning of
    /// this pass. The finished round shows this to the reader.</summary>
    private void Pass()
    {
        var before = _file.Position;
        _look.Look();
        for (var i = 0; i < _rings.Count; i++)
        {
            _look.Take(i, _file, _sieves[i]);
        }

        if (_file.Position != before)
        {
            _file.Append(PerfDataWriter.FinishedRound);
            _file.Push();
        }
    }

    /// <summary>Adds the losses after the last record. The kernel reports a loss with the next record that fits; after
    /// the last one, only its counters show it.</summary>
    private void ReportLossesAtTheEnd()
    {
        var records = new RecordBuilder(_events[0].ToRecordedEvent().Ids[0]);
        for (var i = 0; i < _rings.Count; i++)
        {
            var untold = CountedLost(_rings[i]) - _sieves[i].Lost;
            if (untold > 0)
            {
                records.Lost(_rings[i].Cpu, EndNs, untold);
            }
        }

        _file.Append(records.Records);
    }

    private long CountedLost(RingBuffer ring) => _events.Sum(e => e.Lost(ring.Cpu));

    /// <summary>Publishes the progress. Must run on the draining thread, whose own CPU time it reads.</summary>
    private void Publish(long lost)
    {
        lock (_progressLock)
        {
            _progress = new SchedulerRecordingProgress(
                _sieves.Sum(s => s.Events), _file.Position, lost, _reachedMaxBytes, Libc.ThreadCpuNs() + _file.CpuNs, _file.StalledNs);
        }
    }
}

/// <summary>The point at which a recording switched to another file.</summary>
/// <param name="Bytes">Size of the previous file, bytes.</param>
/// <param name="Closed">Completes when that file is written and closed.</param>
/// <param name="TimeNs">CLOCK_MONOTONIC ns. All earlier records are in the previous file, which may have later ones,
/// too.</param>
/// <param name="Events">Events written so far, in all files.</param>
/// <param name="Lost">Losses that records reported so far, in all files.</param>
internal readonly record struct DrainCut(long Bytes, Task Closed, long TimeNs, long Events, long Lost);
