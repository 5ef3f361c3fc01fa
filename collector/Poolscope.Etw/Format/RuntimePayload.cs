using System.Buffers.Binary;

namespace Poolscope.Etw.Format;

/// <summary>Payload of the runtime's RuntimeInformation (id 187), which identifies the runtime.</summary>
/// <param name="CommandLine">Command line; null if empty.</param>
internal readonly record struct RuntimePayload(bool IsFramework, string? CommandLine)
{
    public const int Id = 187;

    private const ushort DesktopSku = 1;
    private const int SkuOffset = 2;

    // Instance, SKU, four numbers of the library's version and four of the runtime's (u16 each), flags (u32), mode (u8).
    private const int CommandLineOffset = (10 * sizeof(ushort)) + sizeof(uint) + sizeof(byte);

    /// <returns>Null if the payload is shorter than the fields.</returns>
    public static RuntimePayload? Read(ReadOnlySpan<byte> payload) => payload.Length < CommandLineOffset
        ? null
        : new RuntimePayload(BinaryPrimitives.ReadUInt16LittleEndian(payload[SkuOffset..]) == DesktopSku, Utf16Text.Read(payload[CommandLineOffset..]));
}
