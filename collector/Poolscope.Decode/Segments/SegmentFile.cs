using System.Buffers.Binary;
using Poolscope.Decode.Nettrace.Blocks;

namespace Poolscope.Decode.Segments;

/// <summary>The file of a segment: consecutive blocks without the frames of a .nettrace file, which depend on a block's
/// offset in the file.</summary>
internal static class SegmentFile
{
    private const int BufferBytes = 256 << 10;
    private const int FrameBytes = 5;

    /// <exception cref="IOException">The file exists, or cannot be created.</exception>
    internal static FileStream Create(string path) => new(path, FileMode.CreateNew, FileAccess.Write, FileShare.Read, BufferBytes);

    internal static void Write(FileStream file, BlockKind kind, ReadOnlySpan<byte> bytes)
    {
        Span<byte> frame = stackalloc byte[FrameBytes];
        frame[0] = (byte)kind;
        BinaryPrimitives.WriteInt32LittleEndian(frame[1..], bytes.Length);
        file.Write(frame);
        file.Write(bytes);
    }

    /// <summary>Appends the segment's blocks to a .nettrace file.</summary>
    /// <exception cref="IOException">The file cannot be read, or is shorter than the data written to it.</exception>
    internal static void CopyTo(string path, NettraceWriter writer)
    {
        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, BufferBytes);
        Span<byte> frame = stackalloc byte[FrameBytes];
        var buffer = new byte[BufferBytes];
        while (file.ReadAtLeast(frame, FrameBytes, throwOnEndOfStream: false) is var read and > 0)
        {
            if (read < FrameBytes)
            {
                throw new EndOfStreamException("a segment of the recording is shorter than the data written to it");
            }

            var length = BinaryPrimitives.ReadInt32LittleEndian(frame[1..]);
            buffer = buffer.Length < length ? new byte[length] : buffer;
            file.ReadExactly(buffer, 0, length);
            writer.Block((BlockKind)frame[0], buffer.AsSpan(0, length));
        }
    }
}
