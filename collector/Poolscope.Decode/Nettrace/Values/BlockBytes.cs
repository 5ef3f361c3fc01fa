using System.Buffers.Binary;
using System.Text;

namespace Poolscope.Decode.Nettrace.Values;

/// <summary>Reads what a block of version 6 holds from its start on. Never reads outside of it, whatever it holds.</summary>
internal ref struct BlockBytes(ReadOnlySpan<byte> bytes)
{
    private const int LongestVariable = 10;

    private ReadOnlySpan<byte> _rest = bytes;

    public readonly bool IsEmpty => _rest.IsEmpty;

    /// <summary>Bytes that are left.</summary>
    public readonly int Length => _rest.Length;

    public byte Byte() => Take(1)[0];

    public ushort UInt16() => BinaryPrimitives.ReadUInt16LittleEndian(Take(sizeof(ushort)));

    public uint UInt32() => BinaryPrimitives.ReadUInt32LittleEndian(Take(sizeof(uint)));

    public long Int64() => BinaryPrimitives.ReadInt64LittleEndian(Take(sizeof(long)));

    public Guid Guid() => new(Take(16));

    /// <summary>Seven bits a byte, lowest first; the eighth says that more follow.</summary>
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

    /// <summary>UTF-8 behind its length in bytes.</summary>
    public string Text() => Encoding.UTF8.GetString(Counted());

    /// <summary>Bytes behind their number, which has a variable length.</summary>
    public ReadOnlySpan<byte> Counted() => Variable() is var length && length <= int.MaxValue ? Take((int)length) : throw Beyond();

    /// <summary>The next bytes.</summary>
    /// <exception cref="NettraceDamage">There are fewer.</exception>
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
