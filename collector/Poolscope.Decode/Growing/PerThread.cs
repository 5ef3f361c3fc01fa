namespace Poolscope.Decode.Growing;

/// <summary>The state kept for each thread. Nearly every event needs the state of the thread that wrote it, and few
/// threads write at a time, so recently used states are found without a hash table.</summary>
/// <param name="make">Makes the state of a thread that was not seen before.</param>
internal sealed class PerThread<T>(Func<int, T> make)
    where T : class
{
    private const int Recent = 64; // a power of two

    private readonly Dictionary<int, T> _all = [];
    private readonly (int Tid, T? State)[] _recent = new (int, T?)[Recent];

    public IReadOnlyCollection<T> All => _all.Values;

    public T this[int tid]
    {
        get
        {
            ref var slot = ref _recent[tid & (Recent - 1)];
            return slot.Tid == tid && slot.State is { } state ? state : Find(ref slot, tid);
        }
    }

    private T Find(ref (int Tid, T? State) slot, int tid)
    {
        if (!_all.TryGetValue(tid, out var state))
        {
            _all.Add(tid, state = make(tid));
        }

        slot = (tid, state);
        return state;
    }
}
