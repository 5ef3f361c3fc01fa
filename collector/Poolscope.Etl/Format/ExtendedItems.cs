using System.Buffers.Binary;

namespace Poolscope.Etl.Format;

/// <summary>The items that a manifest's event carries between header and payload. Each item has a length, a type, and a
/// flag that says whether another item follows (EVENT_HEADER_EXTENDED_DATA_ITEM).</summary>
internal readonly ref struct ExtendedItems
{
    private const int ItemHeader = 8;
    private const int MatchBytes = 8;
    private const int GuidBytes = 16;
    private const int TypeOffset = 2;
    private const int MoreOffset = 4;
    private const int DataOffset = 6;

    private const int RelatedActivity = 1;
    private const int Stack32 = 5;
    private const int Stack64 = 6;
    private const int StackKey32 = 17;
    private const int StackKey64 = 18;

    /// <summary>The length of all items, bytes.</summary>
    public int Bytes { get; private init; }

    /// <summary>The activity in which this one began; empty: not recorded.</summary>
    public Guid Related { get; private init; }

    /// <summary>The addresses of a stack, innermost first, <see cref="StackPointer"/> bytes each; empty:
    /// none.</summary>
    public ReadOnlySpan<byte> Stack { get; private init; }

    public int StackPointer { get; private init; }

    /// <summary>The key of a stack that another event holds; 0: none.</summary>
    public ulong StackKey { get; private init; }

    /// <param name="bytes">The event's bytes after its header.</param>
    /// <returns>The items before the first invalid one. The payload begins there.</returns>
    public static ExtendedItems Read(ReadOnlySpan<byte> bytes)
    {
        var (at, related, pointer, key) = (0, Guid.Empty, sizeof(ulong), 0UL);
        var stack = default(ReadOnlySpan<byte>);
        for (var more = true; more && bytes.Length - at >= ItemHeader;)
        {
            var item = bytes[at..];
            var size = BinaryPrimitives.ReadUInt16LittleEndian(item);
            var length = BinaryPrimitives.ReadUInt16LittleEndian(item[DataOffset..]);
            if (size < ItemHeader || size > item.Length || length > size - ItemHeader)
            {
                break;
            }

            var data = item.Slice(ItemHeader, length);
            switch (BinaryPrimitives.ReadUInt16LittleEndian(item[TypeOffset..]))
            {
                case RelatedActivity when length >= GuidBytes:
                    related = new Guid(data[..GuidBytes]);
                    break;
                case Stack32 when length >= MatchBytes:
                    stack = data[MatchBytes..];
                    pointer = sizeof(uint);
                    break;
                case Stack64 when length >= MatchBytes:
                    stack = data[MatchBytes..];
                    pointer = sizeof(ulong);
                    break;
                case StackKey32 when length >= MatchBytes + sizeof(uint):
                    key = BinaryPrimitives.ReadUInt32LittleEndian(data[MatchBytes..]);
                    break;
                case StackKey64 when length >= MatchBytes + sizeof(ulong):
                    key = BinaryPrimitives.ReadUInt64LittleEndian(data[MatchBytes..]);
                    break;
            }

            more = (BinaryPrimitives.ReadUInt16LittleEndian(item[MoreOffset..]) & 1) != 0;
            at += size;
        }

        return new ExtendedItems { Bytes = at, Related = related, Stack = stack, StackPointer = pointer, StackKey = key };
    }
}
