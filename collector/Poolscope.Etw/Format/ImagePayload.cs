using System.Buffers.Binary;

namespace Poolscope.Etw.Format;

/// <summary>Payload of the image class's Load, Unload, DCStart and DCEnd, version 2 and later: a module in a process.</summary>
/// <param name="Base">Address of the module's first byte.</param>
/// <param name="Size">Size of the module, bytes.</param>
/// <param name="Path">Path as the kernel names it; null if not reported.</param>
internal readonly record struct ImagePayload(int Pid, ulong Base, ulong Size, string? Path)
{
    // Process, checksum, time stamp and a reserved field; the address it was linked for; four reserved fields.
    private const int Fixed = 4 * sizeof(int);
    private const int BehindDefaultBase = 4 * sizeof(int);
    private const int OldestVersion = 2;

    /// <returns>Null if the payload is shorter than the fields or its version predates Windows Vista.</returns>
    public static ImagePayload? Read(ReadOnlySpan<byte> payload, int version, int pointerSize)
    {
        var path = (3 * pointerSize) + Fixed + BehindDefaultBase;
        return version < OldestVersion || payload.Length < path
            ? null
            : new ImagePayload(
                BinaryPrimitives.ReadInt32LittleEndian(payload[(2 * pointerSize)..]),
                Pointer(payload, pointerSize),
                Pointer(payload[pointerSize..], pointerSize),
                Utf16Text.Read(payload[path..]));
    }

    /// <summary>Returns the file name of a path, without folders.</summary>
    public static string FileName(string path) => path[(path.LastIndexOfAny(['\\', '/']) + 1)..];

    private static ulong Pointer(ReadOnlySpan<byte> bytes, int size) =>
        size == sizeof(ulong) ? BinaryPrimitives.ReadUInt64LittleEndian(bytes) : BinaryPrimitives.ReadUInt32LittleEndian(bytes);
}
