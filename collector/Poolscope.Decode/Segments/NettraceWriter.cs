using System.Buffers.Binary;
using Poolscope.Decode.Nettrace.Blocks;
using Poolscope.Decode.Nettrace.Files;

namespace Poolscope.Decode.Segments;

/// <summary>Writes a .nettrace file from the blocks of another one.</summary>
internal sealed class NettraceWriter : IDisposable
{
    private const byte NullReference = 1;
    private const byte BeginObject = 5;
    private const byte EndObject = 6;

    // The version of blocks, the same in all runtimes so far.
    private const int BlockVersion = 2;
    private const int LeastReaderOfBlocks = 2;
    private const int BufferBytes = 256 << 10;

    private readonly FileStream _file;

    /// <exception cref="IOException">The file exists, or cannot be created.</exception>
    internal NettraceWriter(string path)
    {
        _file = new FileStream(path, FileMode.CreateNew, FileAccess.Write, FileShare.Read, BufferBytes);
        _file.Write(NettraceFile.Preamble);
    }

    /// <summary>Size of the file, bytes.</summary>
    internal long Bytes => _file.Position;

    internal void Header(int version, ReadOnlySpan<byte> bytes)
    {
        // The trace object has the version of the format, and requires a reader of the same version.
        Begin("Trace"u8, version, version);
        _file.Write(bytes);
        _file.WriteByte(EndObject);
    }

    internal void Block(BlockKind kind, ReadOnlySpan<byte> bytes)
    {
        Begin(NameOf(kind), BlockVersion, LeastReaderOfBlocks);
        Number(bytes.Length);
        while ((_file.Position & 3) != 0)
        {
            _file.WriteByte(0); // blocks begin at a multiple of four
        }

        _file.Write(bytes);
        _file.WriteByte(EndObject);
    }

    /// <summary>Writes the end mark of the file.</summary>
    internal void End()
    {
        _file.WriteByte(NullReference);
        _file.Flush();
    }

    public void Dispose() => _file.Dispose();

    private void Begin(ReadOnlySpan<byte> name, int version, int leastReader)
    {
        _file.Write([BeginObject, BeginObject, NullReference]);
        Number(version);
        Number(leastReader);
        Number(name.Length);
        _file.Write(name);
        _file.WriteByte(EndObject);
    }

    private void Number(int value)
    {
        Span<byte> bytes = stackalloc byte[sizeof(int)];
        BinaryPrimitives.WriteInt32LittleEndian(bytes, value);
        _file.Write(bytes);
    }

    private static ReadOnlySpan<byte> NameOf(BlockKind kind) => kind switch
    {
        BlockKind.Metadata => "MetadataBlock"u8,
        BlockKind.Events => "EventBlock"u8,
        BlockKind.Stacks => "StackBlock"u8,
        _ => "SPBlock"u8,
    };
}
