using System.Buffers.Binary;
using System.Text;

namespace Poolscope.Decode.Nettrace.Values;

/// <summary>Reads the values in a block of version 6 from its start. Never reads outside the block, whatever it
/// holds.</summary>
internal ref struct BlockBytes(ReadOnlySpan<byte> bytes)
{
    private const int LongestVariable = 10;

    private ReadOnlySpan<byte> _rest = bytes;

    public readonly bool IsEmpty => _rest.IsEmpty;

    /// <summary>The number of bytes left.</summary>
    public readonly int Length => _rest.Length;

    public byte Byte() => Take(1)[0];

    public ushort UInt16() => BinaryPrimitives.ReadUInt16LittleEndian(Take(sizeof(ushort)));

    public uint UInt32() => BinaryPrimitives.ReadUInt32LittleEndian(Take(sizeof(uint)));

    public long Int64() => BinaryPrimitives.ReadInt64LittleEndian(Take(sizeof(long)));

    public Guid Guid() => new(Take(16));

    /// <summary>Reads a variable-length number: seven bits a byte, lowest first; the eighth bit means more
    /// follow.</summary>
    public ulong Variable()
    {
        var value = 0UL;
        for (var count = 0; count < LongestVariable; count++)
        {
            var next = Byte();
            value |= (ulong)(next & 0x7f) << (7 * count);
            if (next < 0x80)
            {
                return value;
            }
        }

        throw new NettraceDamage("a number that does not end");
    }

    /// <summary>Reads UTF-8 text after its length in bytes.</summary>
    public string Text() => Encoding.UTF8.GetString(Counted());

    /// <summary>Reads a variable-length number, then that many bytes.</summary>
    public ReadOnlySpan<byte> Counted() => Variable() is var length && length <= int.MaxValue ? Take((int)length) : throw Beyond();

    /// <summary>Takes the next <paramref name="count"/> bytes.</summary>
    /// <exception cref="NettraceDamage">Fewer bytes are left.</exception>
    public ReadOnlySpan<byte> Take(int count)
    {
        if (count > _rest.Length)
        {
            throw Beyond();
        }

        var taken = _rest[..count];
        _rest = _rest[count..];
        return taken;
    }

    private static NettraceDamage Beyond() => new("what a block holds reaches beyond it");
}
