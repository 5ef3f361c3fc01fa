using System.Buffers.Binary;

namespace Poolscope.Decode.Stacks;

/// <summary>Maps the native instructions of a method to the IL offsets that they were compiled from (event
/// MethodILToNativeMap).</summary>
internal sealed class InstructionMap
{
    // Special values in place of an IL offset (ICorDebugInfo::MappingTypes).
    private const int Prologue = -2;
    private const int Epilogue = -3;

    private readonly int[] _native;
    private readonly int[] _il;

    private InstructionMap(int[] native, int[] il) => (_native, _il) = (native, il);

    /// <param name="offsets">All IL offsets, then as many native offsets, four bytes each, unordered.</param>
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

    /// <summary>Returns the IL offset of a native offset. Code without its own IL offset belongs to the code before it,
    /// an epilogue to the method's end.</summary>
    /// <returns>The IL offset; -1 if unknown.</returns>
    public int IlOffset(uint nativeOffset)
    {
        // Several entries may share a native offset; only the last one has code.
        var (low, high) = (0, _native.Length);
        while (low < high)
        {
            var middle = (low + high) / 2;
            (low, high) = _native[middle] <= (int)nativeOffset ? (middle + 1, high) : (low, middle);
        }

        return low > 0 ? _il[low - 1] : -1;
    }

    /// <summary>Replaces special values by the IL offsets that they represent.</summary>
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
