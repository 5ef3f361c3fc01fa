using System.Numerics;
using System.Runtime.InteropServices;
using SharpFuzz.Common;

namespace Poolscope.Fuzz.Guided;

/// <summary>The map in which instrumented code counts the edges that it takes, for runs without afl-fuzz.</summary>
internal sealed unsafe class EdgeMap
{
    private const int Bytes = 1 << 16;

    private readonly byte* _map = (byte*)NativeMemory.AllocZeroed(Bytes);
    private readonly byte[] _seen = new byte[Bytes];

    /// <summary>Makes instrumented code count in this map. Without a map it would write to address 0.</summary>
    public EdgeMap() => Trace.SharedMem = _map;

    /// <summary>The slots of the map that any input has touched. A few edges share a slot.</summary>
    public int Edges => _seen.Count(seen => seen != 0);

    /// <summary>Adds the edges of another run, if its file exists.</summary>
    public void Load(string file)
    {
        if (File.Exists(file))
        {
            File.ReadAllBytes(file).CopyTo(_seen, 0);
        }
    }

    /// <summary>Writes the edges that were taken so far.</summary>
    public void Save(string file) => File.WriteAllBytes(file, _seen);

    /// <summary>Forgets edges that no input took: those of reading the seeds.</summary>
    public void Clear()
    {
        new Span<byte>(_map, Bytes).Clear();
        Trace.PrevLocation = 0; // or an input's first edge would depend on the one before it
    }

    /// <summary>Adds the edges of the input that was just decoded. Returns whether it took one for the first time, or in a
    /// number of times that falls under another power of two than before.</summary>
    public bool Add()
    {
        var isNew = false;
        for (var slot = 0; slot < Bytes; slot++)
        {
            if (_map[slot] is > 0 and var times)
            {
                var often = (byte)(1 << BitOperations.Log2(times));
                isNew |= (_seen[slot] & often) == 0;
                _seen[slot] |= often;
            }
        }

        Clear();
        return isNew;
    }
}
