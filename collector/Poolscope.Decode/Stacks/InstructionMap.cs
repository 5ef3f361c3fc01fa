using System.Buffers.Binary;

namespace Poolscope.Decode.Stacks;

/// <summary>Which IL offset each native instruction of a method was compiled from (event MethodILToNativeMap).</summary>
internal sealed class InstructionMap
{
    // Values of an IL offset that are none (ICorDebugInfo::MappingTypes).
    private const int Prologue = -2;
    private const int Epilogue = -3;

    private readonly int[] _native;
    private readonly int[] _il;

    private InstructionMap(int[] native, int[] il) => (_native, _il) = (native, il);

    /// <param name="offsets">All IL offsets, then as many native offsets, four bytes each, in no order.</param>
    public static InstructionMap Read(ReadOnlySpan<byte> offsets, int count)
    {
        var (native, il) = (new int[count], new int[count]);
        for (var i = 0; i < count; i++)
        {
            il[i] = BinaryPrimitives.ReadInt32LittleEndian(offsets[(i * sizeof(int))..]);
            native[i] = BinaryPrimitives.ReadInt32LittleEndian(offsets[((count + i) * sizeof(int))..]);
        }

        Array.Sort(native, il);
        return new InstructionMap(native, il);
    }

    /// <summary>Code without an IL offset of its own belongs to what stands before it; an epilogue to the method's end.</summary>
    /// <returns>-1: nothing is known.</returns>
    public int IlOffset(uint nativeOffset)
    {
        var at = Array.BinarySearch(_native, (int)nativeOffset);
        at = at < 0 ? ~at - 1 : at;

        // Several entries may share a native offset: nothing was compiled from all but the last.
        while (at >= 0 && at + 1 < _native.Length && _native[at + 1] == _native[at])
        {
            at++;
        }

        for (; at >= 0; at--)
        {
            if (_il[at] >= 0)
            {
                return _il[at];
            }

            if (_il[at] == Epilogue)
            {
                return _il.Max();
            }

            if (_il[at] == Prologue)
            {
                return 0;
            }
        }

        return -1;
    }
}
