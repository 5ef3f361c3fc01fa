using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Kinds;

/// <summary>The kinds of events that a .nettrace file has described so far, by metadata id. Every event looks up its
/// kind, and runtimes number kinds from 1, so an array holds nearly all of them.</summary>
internal sealed class EventKinds
{
    private const int InArray = 1024;

    private readonly EventKind?[] _low = new EventKind?[InArray];
    private readonly Dictionary<int, EventKind> _others = [];

    /// <summary>Whether one-collect wrote the file: the file describes events of the system itself.</summary>
    public bool AreOfOneCollect { get; private set; }

    /// <summary>Finds a kind by its id; null if the file has described none.</summary>
    public EventKind? Find(int id) => (uint)id < InArray ? _low[id] : _others.GetValueOrDefault(id);

    /// <summary>Forgets all kinds. The file may describe their ids again.</summary>
    public void Clear()
    {
        Array.Clear(_low);
        _others.Clear();
    }

    /// <exception cref="NettraceDamage">The id was already described as another kind.</exception>
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
