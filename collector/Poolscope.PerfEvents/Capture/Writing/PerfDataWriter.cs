using System.Buffers;
using System.Buffers.Binary;
using Microsoft.Win32.SafeHandles;
using Poolscope.PerfEvents.Format;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.PerfEvents.Capture.Writing;

/// <summary>Writes a seekable perf.data file: header | ids | attributes | records | feature table | features. All but
/// the header's data size and features is in place before the first record.</summary>
internal sealed class PerfDataWriter : IDisposable
{
    // Small steps: data not yet on its way to the disk stalls the writers when the kernel's own limit is reached.
    private const long WriteBackStep = 8 << 20;

    private const long CopyStep = 1 << 20;

    private readonly SafeFileHandle _file;
    private readonly FileSection _attrs;
    private long _writtenBack;

    /// <exception cref="IOException">The file cannot be created.</exception>
    internal PerfDataWriter(string path, IReadOnlyList<RecordedEvent> events)
    {
        _file = File.OpenHandle(path, FileMode.Create, FileAccess.Write, FileShare.Read);
        var idsBytes = events.Sum(e => e.Ids.Count) * sizeof(ulong);
        _attrs = new FileSection(PerfFileHeader.Bytes + idsBytes, events.Count * (long)PerfFileHeader.AttrEntryBytes);
        DataOffset = Position = _attrs.End;

        var front = new byte[DataOffset];
        Header(dataSize: 0, features: 0).Write(front);
        var idsAt = PerfFileHeader.Bytes;
        var attrAt = (int)_attrs.Offset;
        foreach (var recorded in events)
        {
            recorded.Attr.ToArray().CopyTo(front, attrAt);
            BinaryPrimitives.WriteInt64LittleEndian(front.AsSpan(attrAt + PerfEventAttr.Bytes), idsAt);
            BinaryPrimitives.WriteInt64LittleEndian(front.AsSpan(attrAt + PerfEventAttr.Bytes + 8), recorded.Ids.Count * sizeof(ulong));
            attrAt += PerfFileHeader.AttrEntryBytes;
            foreach (var id in recorded.Ids)
            {
                BinaryPrimitives.WriteUInt64LittleEndian(front.AsSpan(idsAt), id);
                idsAt += sizeof(ulong);
            }
        }

        RandomAccess.Write(_file, front, 0);
    }

    internal long DataOffset { get; }

    /// <summary>The offset of the next record, which is the size of the file so far, bytes.</summary>
    internal long Position { get; private set; }

    /// <summary>Appends whole records.</summary>
    /// <exception cref="IOException">The disk is full, for example. An incomplete write does not change
    /// <see cref="Position"/>.</exception>
    internal void Append(ReadOnlySpan<byte> records)
    {
        if (!records.IsEmpty)
        {
            RandomAccess.Write(_file, records, Position);
            Position += records.Length;
        }
    }

    /// <summary>Appends records from another file. The kernel copies them, or shares them if the file system
    /// can.</summary>
    /// <exception cref="IOException">The disk is full, for example, or the other file is shorter.</exception>
    internal void AppendFrom(SafeFileHandle other, long from, long bytes)
    {
        while (bytes > 0)
        {
            var copied = Libc.CopyRange(other, from, _file, Position, bytes);
            if (copied <= 0)
            {
                copied = CopyByHand(other, from, bytes);
            }

            (from, bytes, Position) = (from + copied, bytes - copied, Position + copied);
        }
    }

    /// <summary>The record that ends a round: all records before it can be put in order once the next round is
    /// complete.</summary>
    internal static ReadOnlySpan<byte> FinishedRound => [(byte)RecordType.FinishedRound, 0, 0, 0, 0, 0, 8, 0];

    /// <summary>Appends a <see cref="FinishedRound"/>.</summary>
    internal void FinishRound() => Append(FinishedRound);

    /// <summary>Lets the kernel begin to write its cached data of this file to the disk, a step at a time. Otherwise
    /// the cache grows until it makes the writer wait.</summary>
    internal void BeginWriteBack()
    {
        if (Position - _writtenBack >= WriteBackStep)
        {
            Libc.BeginWriteBack(_file, _writtenBack, Position - _writtenBack);
            _writtenBack = Position;
        }
    }

    /// <summary>Truncates the file to an earlier value of <see cref="Position"/>.</summary>
    internal void TruncateTo(long position)
    {
        RandomAccess.SetLength(_file, position);
        Position = position;
    }

    /// <summary>Writes the features and then the header, which completes the file.</summary>
    internal void Complete(IReadOnlyDictionary<HeaderFeature, byte[]> features)
    {
        var dataEnd = Position;
        var ordered = features.OrderBy(f => f.Key).ToList();
        var table = new byte[ordered.Count * 16];
        var blobAt = dataEnd + table.Length;
        ulong bits = 0;
        for (var i = 0; i < ordered.Count; i++)
        {
            var blob = ordered[i].Value;
            bits |= 1UL << (int)ordered[i].Key;
            BinaryPrimitives.WriteInt64LittleEndian(table.AsSpan(i * 16), blobAt);
            BinaryPrimitives.WriteInt64LittleEndian(table.AsSpan((i * 16) + 8), blob.Length);
            RandomAccess.Write(_file, blob, blobAt);
            blobAt += blob.Length;
        }

        RandomAccess.Write(_file, table, dataEnd);
        Position = blobAt;
        var header = new byte[PerfFileHeader.Bytes];
        Header(dataEnd - DataOffset, bits).Write(header);
        RandomAccess.Write(_file, header, 0);
    }

    public void Dispose() => _file.Dispose();

    /// <summary>Copies through memory, for file systems and for kernels before 5.19 that refuse to copy.</summary>
    private long CopyByHand(SafeFileHandle other, long from, long bytes)
    {
        var buffer = ArrayPool<byte>.Shared.Rent((int)Math.Min(bytes, CopyStep));
        try
        {
            var read = RandomAccess.Read(other, buffer.AsSpan(0, (int)Math.Min(bytes, buffer.Length)), from);
            if (read == 0)
            {
                throw new IOException("a segment of the recording is shorter than the data written to it");
            }

            RandomAccess.Write(_file, buffer.AsSpan(0, read), Position);
            return read;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private PerfFileHeader Header(long dataSize, ulong features) =>
        new(PerfFileHeader.AttrEntryBytes, _attrs, new FileSection(_attrs.End, dataSize), features);
}
