namespace Poolscope.Etw.Reading;

/// <summary>Joins the stacks of a trace with what they are of. The kernel writes a stack behind its event, with the event's time
/// stamp in it: that of kernel mode at once, and that of user mode when the thread goes back there. Sessions that compress stacks
/// write a key in its place, and what the key stands for when the kernel forgets it, or at the end.</summary>
internal sealed class EtlStacks
{
    // Events of a thread that wait for the stack of user mode; more of them come from a file that never shows it.
    private const int MostOpen = 64;

    private readonly AddressTree _tree = new();
    private readonly List<Wanted> _wanted = [];
    private readonly Dictionary<int, Queue<int>> _openOf = [];
    private readonly Dictionary<ulong, List<int>> _usesOf = [];

    /// <summary>A thread came back to a core; its stack will follow.</summary>
    /// <param name="time">Of the switch, ns.</param>
    /// <param name="since">When it had left, ns.</param>
    public void Blocked(long time, int tid, long since)
    {
        if (!_openOf.TryGetValue(tid, out var open))
        {
            _openOf.Add(tid, open = []);
        }

        if (open.Count == MostOpen)
        {
            open.Dequeue();
        }

        open.Enqueue(_wanted.Count);
        _wanted.Add(new Wanted(Guid.Empty, 0, time, tid, since, AddressTree.None));
    }

    /// <summary>An event of the runtime, with its stack or the key of one.</summary>
    public void Of(Guid provider, int id, long time, int tid, ReadOnlySpan<byte> stack, int width, ulong key)
    {
        var node = stack.IsEmpty ? AddressTree.None : _tree.Intern(stack, width);
        if (node == AddressTree.None && key == 0)
        {
            return;
        }

        _wanted.Add(new Wanted(provider, id, time, tid, time, node));
        if (node == AddressTree.None)
        {
            Use(key, _wanted.Count - 1);
        }
    }

    /// <summary>The stack of an event that a thread came with.</summary>
    /// <param name="time">Of that event, ns.</param>
    public void Walked(long time, int tid, ReadOnlySpan<byte> stack, int width)
    {
        if (Find(time, tid) is { } at && _tree.Intern(stack, width) is not AddressTree.None and var node)
        {
            _wanted[at] = _wanted[at] with { Node = node };
        }
    }

    /// <summary>The key of the stack of user mode of such an event.</summary>
    public void Keyed(long time, int tid, ulong key)
    {
        if (Find(time, tid) is { } at)
        {
            Use(key, at);
        }
    }

    /// <summary>What a key stood for until now.</summary>
    public void Defined(ulong key, ReadOnlySpan<byte> stack, int width)
    {
        if (!_usesOf.Remove(key, out var uses) || _tree.Intern(stack, width) is not (not AddressTree.None and var node))
        {
            return;
        }

        foreach (var at in uses)
        {
            _wanted[at] = _wanted[at] with { Node = node };
        }
    }

    /// <summary>Delivers the stacks, in order of their events. Call after the last event.</summary>
    public void Deliver(IRuntimeEventStream runtime)
    {
        foreach (var (provider, id, time, tid, since, node) in _wanted)
        {
            if (node == AddressTree.None)
            {
                continue;
            }

            var addresses = _tree.Addresses(node);
            if (provider == Guid.Empty)
            {
                runtime.BlockedAt(since, tid, addresses);
            }
            else
            {
                runtime.Stack(provider, id, time, tid, addresses);
            }
        }
    }

    private int? Find(long time, int tid)
    {
        if (_openOf.TryGetValue(tid, out var open))
        {
            foreach (var at in open)
            {
                if (_wanted[at].Time == time)
                {
                    return at;
                }
            }
        }

        return null;
    }

    private void Use(ulong key, int at)
    {
        if (!_usesOf.TryGetValue(key, out var uses))
        {
            _usesOf.Add(key, uses = []);
        }

        uses.Add(at);
    }

    /// <param name="Provider">Of an event of the runtime; empty: a thread came back to a core.</param>
    private readonly record struct Wanted(Guid Provider, int Id, long Time, int Tid, long Since, int Node);
}
