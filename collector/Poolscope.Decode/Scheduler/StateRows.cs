using System.Runtime.CompilerServices;
using Poolscope.Tables;

namespace Poolscope.Decode.Scheduler;

/// <summary>Rows of table thread_states, all from one tier.</summary>
internal sealed class StateRows(Table table, StateOrigin origin)
{
    private const int RowsAtOnce = 1024;

    private readonly Column<int> _tid = table.Int32("tid");
    private readonly Column<long> _start = table.Int64("start");
    private readonly Column<long> _end = table.Int64("end");
    private readonly Column<byte> _state = table.Enum("state");
    private readonly Column<byte> _origin = table.Enum("origin");
    private readonly Column<long> _resolution = table.Int64("resolution");

    private readonly long[] _changes = new long[RowsAtOnce + 1];
    private readonly long[] _starts = new long[RowsAtOnce];
    private readonly long[] _ends = new long[RowsAtOnce];
    private readonly byte[] _states = new byte[RowsAtOnce];
    private readonly long[] _resolutions = new long[RowsAtOnce];

    internal void Add(int tid, long start, long end, ThreadState state, long resolution)
    {
        _tid.Add(tid);
        _start.Add(start);
        _end.Add(end);
        _state.Add((byte)state);
        _origin.Add((byte)origin);
        _resolution.Add(resolution);
    }

    /// <summary>Adds the states of a thread between two times, many at a time: a thread has millions.</summary>
    /// <param name="from">Start of the range, CLOCK_MONOTONIC ns like all times.</param>
    /// <param name="isTarget">Whether to add blocked states too.</param>
    internal void Add(ThreadHistory thread, RecordingGaps gaps, long from, long to, bool isTarget)
    {
        var (taken, held, gap) = (0, 0, 0);
        while (true)
        {
            var copied = thread.CopyChanges(taken, _changes.AsSpan(held));
            taken += copied;
            var known = held + copied;
            Flush(thread.Tid, Fill(_changes.AsSpan(0, known), copied == 0, gaps, ref gap, from, to, isTarget));
            if (copied == 0)
            {
                return;
            }

            // The end of the last state is the first change of the next batch.
            _changes[0] = _changes[known - 1];
            held = 1;
        }
    }

    /// <summary>Turns changes of state into rows. The last change gives a row only if no other change follows
    /// it.</summary>
    /// <returns>The number of rows.</returns>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private int Fill(ReadOnlySpan<long> changes, bool isLast, RecordingGaps gaps, ref int gap, long from, long to, bool isTarget)
    {
        var count = 0;
        for (var i = 0; i < (isLast ? changes.Length : changes.Length - 1); i++)
        {
            var state = ThreadHistory.StateOf(changes[i]);
            var start = Math.Max(ThreadHistory.TimeOf(changes[i]), from);
            var end = Math.Min(i + 1 < changes.Length ? ThreadHistory.TimeOf(changes[i + 1]) : long.MaxValue, to);
            if (start >= end || state == ThreadState.Gone || (state == ThreadState.Blocked && !isTarget))
            {
                continue;
            }

            var resolution = gaps.Longest(start, end, ref gap);
            if (state == ThreadState.Blocked && origin == StateOrigin.Switch)
            {
                resolution = Math.Max(resolution, end - start); // the wake-up was not reported and may have come at any time
            }

            (_starts[count], _ends[count], _states[count], _resolutions[count]) = (start, end, (byte)state, resolution);
            count++;
        }

        return count;
    }

    private void Flush(int tid, int rows)
    {
        _tid.Add(tid, rows);
        _start.Add(_starts.AsSpan(0, rows));
        _end.Add(_ends.AsSpan(0, rows));
        _state.Add(_states.AsSpan(0, rows));
        _origin.Add((byte)origin, rows);
        _resolution.Add(_resolutions.AsSpan(0, rows));
    }
}
