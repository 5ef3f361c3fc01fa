using System.Runtime.InteropServices;
using Poolscope.KernelEvents;

namespace Poolscope.Decode.Import;

/// <summary>The times at which some threads were on a CPU, from the switches in a recording of all threads.</summary>
/// <param name="threads">The threads to follow.</param>
internal sealed class OnCpuTimes(IReadOnlyCollection<int> threads) : ISchedulerEvents
{
    private readonly Dictionary<int, Stays> _stays = threads.ToDictionary(tid => tid, _ => new Stays());
    private readonly Dictionary<int, int> _current = []; // by CPU

    /// <summary>Returns whether a thread was on a CPU; null if only its arrival or its departure was
    /// recorded.</summary>
    /// <param name="time">The time within the recording, ns.</param>
    /// <param name="precision">The unit to which the recording's times were rounded down, ns.</param>
    public bool? IsRunning(int tid, long time, int precision) => _stays.TryGetValue(tid, out var stays) ? stays.Has(time, precision) : false;

    public void Switch(long time, int cpu, int prevTid, int prevState, int nextTid)
    {
        ref var current = ref CollectionsMarshal.GetValueRefOrAddDefault(_current, cpu, out var isKnown);
        if (isKnown && current != prevTid && _stays.TryGetValue(current, out var unseen))
        {
            unseen.Lose(time); // its departure was not recorded
        }

        current = nextTid;
        if (_stays.TryGetValue(prevTid, out var left))
        {
            left.End(time);
        }

        if (_stays.TryGetValue(nextTid, out var came))
        {
            came.Begin(time);
        }
    }

    private sealed class Stays
    {
        private readonly List<long> _from = [];
        private readonly List<long> _to = [];
        private readonly List<bool> _isKnown = [];

        private bool IsOpen => _to.Count < _from.Count;

        public void Begin(long time)
        {
            Lose(time);
            _from.Add(time);
        }

        public void End(long time)
        {
            if (!IsOpen)
            {
                // If the first switch of a thread is its departure, it was on the CPU from the start. Otherwise its
                // arrival was not recorded.
                _from.Add(_from.Count == 0 ? long.MinValue : _to[^1]);
                _isKnown.Add(_from.Count == 1);
            }
            else
            {
                _isKnown.Add(true);
            }

            _to.Add(time);
        }

        /// <summary>Ends a stay at an unknown time, at the latest now.</summary>
        public void Lose(long time)
        {
            if (IsOpen)
            {
                _to.Add(time);
                _isKnown.Add(false);
            }
        }

        public bool? Has(long time, int precision)
        {
            var at = _from.BinarySearch(time);
            at = at >= 0 ? at : ~at - 1;

            // An end that was rounded down may be later by that much.
            return at < 0 || (at < _to.Count && time >= _to[at] + precision) ? false
                : at >= _to.Count || _isKnown[at] ? true
                : null;
        }
    }
}
