namespace Poolscope.Etw.Reading;

/// <summary>Joins the stacks of a trace with their events. The kernel writes a stack after its event, with the event's
/// time stamp: the kernel-mode part at once, the user-mode part when the thread returns to user mode. Sessions that
/// compress stacks write a key instead. The definition of the key follows when the kernel deletes it, or at the
/// end.</summary>
internal sealed class EtlStacks
{
    // Events per thread that wait for their user-mode stack. Only a file without such stacks has more.
    private const int MostOpen = 64;

    private readonly AddressTree _tree = new();
    private readonly List<Wanted> _wanted = [];
    private readonly Dictionary<int, Queue<int>> _openOf = [];
    private readonly Dictionary<ulong, List<int>> _usesOf = [];

    /// <summary>Records that a thread came back to a core. Its stack will follow.</summary>
    /// <param name="time">Time of the switch, ns.</param>
    /// <param name="since">Time at which the thread had left its core, ns.</param>
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

    /// <summary>Records an event of the runtime, with its stack or the key of its stack.</summary>
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

    /// <summary>Sets the stack of the switch by which a thread came.</summary>
    /// <param name="time">Time of the switch, ns.</param>
    public void Walked(long time, int tid, ReadOnlySpan<byte> stack, int width)
    {
        if (Find(time, tid) is { } at && _tree.Intern(stack, width) is not AddressTree.None and var node)
        {
            _wanted[at] = _wanted[at] with { Node = node };
        }
    }

    /// <summary>Sets the key of the user-mode stack of such a switch.</summary>
    public void Keyed(long time, int tid, ulong key)
    {
        if (Find(time, tid) is { } at)
        {
            Use(key, at);
        }
    }

    /// <summary>Sets the stack that a key has stood for until now.</summary>
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

    /// <summary>Delivers the stacks in order of their events. Call it after the last event.</summary>
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

    /// <param name="Provider">Provider of a runtime event; empty if a thread came back to a core.</param>
    private readonly record struct Wanted(Guid Provider, int Id, long Time, int Tid, long Since, int Node);
}
