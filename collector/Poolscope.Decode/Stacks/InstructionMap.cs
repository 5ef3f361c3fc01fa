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
        Resolve(il);
        return new InstructionMap(native, il);
    }

    /// <summary>Code without an IL offset of its own belongs to what stands before it; an epilogue to the method's end.</summary>
    /// <returns>-1: nothing is known.</returns>
    public int IlOffset(uint nativeOffset)
    {
        // Several entries may share a native offset: nothing was compiled from all but the last.
        var (low, high) = (0, _native.Length);
        while (low < high)
        {
            var middle = (low + high) / 2;
            (low, high) = _native[middle] <= (int)nativeOffset ? (middle + 1, high) : (low, middle);
        }

        return low > 0 ? _il[low - 1] : -1;
    }

    /// <summary>Replaces what is no IL offset by the one that it stands for.</summary>
    private static void Resolve(int[] il)
    {
        var end = il.Length > 0 ? il.Max() : -1;
        var before = -1;
        for (var i = 0; i < il.Length; i++)
        {
            before = il[i] switch
            {
                >= 0 => il[i],
                Epilogue => end,
                Prologue => 0,
                _ => before,
            };
            il[i] = before;
        }
    }
}
