using System.Numerics;
using System.Runtime.InteropServices;
using SharpFuzz.Common;

namespace Poolscope.Fuzz.Guided;

/// <summary>The map into which instrumented code counts the edges that it takes, where afl-fuzz gives none.</summary>
internal sealed unsafe class EdgeMap
{
    private const int Bytes = 1 << 16;

    private readonly byte* _map = (byte*)NativeMemory.AllocZeroed(Bytes);
    private readonly byte[] _seen = new byte[Bytes];

    /// <summary>Makes instrumented code count here. Without a map it would write to address 0.</summary>
    public EdgeMap() => Trace.SharedMem = _map;

    /// <summary>Slots of the map that any input has touched. A few edges share one.</summary>
    public int Edges => _seen.Count(seen => seen != 0);

    /// <summary>Adds what another run saw, if the file is there.</summary>
    public void Load(string file)
    {
        if (File.Exists(file))
        {
            File.ReadAllBytes(file).CopyTo(_seen, 0);
        }
    }

    /// <summary>Writes what was seen so far.</summary>
    public void Save(string file) => File.WriteAllBytes(file, _seen);

    /// <summary>Forgets what ran so far without an input: reading the seeds.</summary>
    public void Clear()
    {
        new Span<byte>(_map, Bytes).Clear();
        Trace.PrevLocation = 0; // or an input's first edge would depend on the one before it
    }

    /// <summary>Adds the edges of the input that was just decoded, and says whether it took one for the first time, or a number of times
    /// that is another power of two than before.</summary>
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
