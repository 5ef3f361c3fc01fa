using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Kinds;

/// <summary>The kinds of events that a .nettrace file has described so far, by their metadata ids. Each event asks for its kind,
/// and runtimes number kinds from 1 on, so that nearly all are found in an array.</summary>
internal sealed class EventKinds
{
    private const int InArray = 1024;

    private readonly EventKind?[] _low = new EventKind?[InArray];
    private readonly Dictionary<int, EventKind> _others = [];

    /// <summary>one-collect wrote the file, which describes events of the system itself.</summary>
    public bool AreOfOneCollect { get; private set; }

    /// <summary>Null: no such kind was described.</summary>
    public EventKind? Find(int id) => (uint)id < InArray ? _low[id] : _others.GetValueOrDefault(id);

    /// <summary>Ids may be described again.</summary>
    public void Clear()
    {
        Array.Clear(_low);
        _others.Clear();
    }

    /// <exception cref="NettraceDamage">The id was described as another kind before.</exception>
    public void Add(int id, EventKind kind)
    {
        AreOfOneCollect |= kind.Provider == KnownEvents.System;
        if (Find(id) is { } known)
        {
            if (known != kind)
            {
                throw new NettraceDamage("an event that was described as another one");
            }
        }
        else if ((uint)id < InArray)
        {
            _low[id] = kind;
        }
        else
        {
            _others.Add(id, kind);
        }
    }
}
