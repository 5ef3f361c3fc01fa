using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Poolscope.Decode.Nettrace.Blocks;

namespace Poolscope.Decode.Segments;

/// <summary>Joins consecutive segments into a .nettrace file. To any reader the file is that of a session that began
/// with the first segment.</summary>
public static class NettraceSegments
{
    // In the trace object: wall clock time as eight u16, then ticks (i64).
    private const int SyncOffset = 16;
    private const int PointHeaderBytes = 12;
    private const int PointEntryBytes = 12;

    /// <param name="path">Path of the file, which must not exist.</param>
    /// <param name="segments">The segments, at least one, in order of time.</param>
    /// <param name="startUtc">Wall clock time at the first segment's <see cref="NettraceSegment.StartNs"/>.</param>
    /// <returns>Size of the file, bytes.</returns>
    /// <exception cref="IOException">A file cannot be read or written.</exception>
    public static long Join(string path, IReadOnlyList<NettraceSegment> segments, DateTime startUtc)
    {
        ArgumentNullException.ThrowIfNull(segments);
        var state = segments[0].State;
        using var writer = new NettraceWriter(path);
        writer.Header(state.Version, HeaderAt(state, startUtc));

        // The sequence number of each thread: a reader sees from the thread's next number whether events were dropped
        // at the cut.
        if (state.Counted.Count > 0)
        {
            writer.Block(BlockKind.SequencePoint, PointOf(state));
        }

        foreach (var block in state.Metadata)
        {
            writer.Block(BlockKind.Metadata, block);
        }

        foreach (var block in state.Stacks)
        {
            writer.Block(BlockKind.Stacks, block);
        }

        foreach (var segment in segments)
        {
            SegmentFile.CopyTo(segment.Path, writer);
        }

        writer.End();
        return writer.Bytes;
    }

    private static byte[] HeaderAt(SegmentState state, DateTime utc)
    {
        var bytes = state.Header.ToArray();
        if (state.Counted.Count > 0)
        {
            ReadOnlySpan<ushort> clock =
            [
                (ushort)utc.Year, (ushort)utc.Month, (ushort)utc.DayOfWeek, (ushort)utc.Day,
                (ushort)utc.Hour, (ushort)utc.Minute, (ushort)utc.Second, (ushort)utc.Millisecond,
            ];
            MemoryMarshal.AsBytes(clock).CopyTo(bytes);
            BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(SyncOffset), state.StartTicks);
        }

        return bytes;
    }

    private static byte[] PointOf(SegmentState state)
    {
        var bytes = new byte[PointHeaderBytes + (state.Counted.Count * PointEntryBytes)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, state.StartTicks);
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(sizeof(long)), state.Counted.Count);
        var at = PointHeaderBytes;
        foreach (var (thread, count) in state.Counted)
        {
            BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(at), thread);
            BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(at + sizeof(long)), count);
            at += PointEntryBytes;
        }

        return bytes;
    }
}
