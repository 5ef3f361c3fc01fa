using System.Diagnostics.CodeAnalysis;

namespace Poolscope.Decode.Scheduler;

/// <summary>Finds a living thread by its id, which happens three times for each context switch. The lookup uses page
/// and index, without a hash. A dictionary holds ids above the Linux limit, which only a damaged file
/// contains.</summary>
internal sealed class LivingThreads
{
    // PID_MAX_LIMIT: no thread has a higher id.
    private const int MostIds = 1 << 22;
    private const int PageShift = 10;
    private const int PageMask = (1 << PageShift) - 1;

    private readonly ThreadHistory?[]?[] _pages = new ThreadHistory?[MostIds >> PageShift][];
    private readonly Dictionary<int, ThreadHistory> _others = [];

    internal IEnumerable<ThreadHistory> All => _pages.OfType<ThreadHistory?[]>().SelectMany(page => page.OfType<ThreadHistory>()).Concat(_others.Values);

    internal ThreadHistory? Find(int tid) =>
        (uint)tid < MostIds ? _pages[tid >> PageShift]?[tid & PageMask] : _others.GetValueOrDefault(tid);

    internal bool TryFind(int tid, [NotNullWhen(true)] out ThreadHistory? thread) => (thread = Find(tid)) is not null;

    internal void Add(ThreadHistory thread)
    {
        if ((uint)thread.Tid < MostIds)
        {
            (_pages[thread.Tid >> PageShift] ??= new ThreadHistory?[1 << PageShift])[thread.Tid & PageMask] = thread;
        }
        else
        {
            _others[thread.Tid] = thread;
        }
    }

    internal void Remove(int tid)
    {
        if ((uint)tid >= MostIds)
        {
            _others.Remove(tid);
        }
        else if (_pages[tid >> PageShift] is { } page)
        {
            page[tid & PageMask] = null;
        }
    }
}
