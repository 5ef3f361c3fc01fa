using System.Buffers.Binary;
using System.Text;

namespace Poolscope.Etw.Format;

/// <summary>Payload of the process class's Start, End, DCStart and DCEnd (opcodes 1 to 4), version 2 and later.</summary>
/// <param name="Image">File name of the process's image; null if not reported.</param>
/// <param name="CommandLine">Command line; null if empty or not reported.</param>
internal readonly record struct ProcessPayload(int Pid, string? Image, string? CommandLine)
{
    // The user: two pointers, then the SID (revision, number of authorities, six bytes, and four for each authority).
    private const int SidHeader = 8;
    private const int SidCountOffset = 1;
    private const int AuthorityBytes = 4;

    private const int PageTableVersion = 3;
    private const int FlagsVersion = 4;
    private const int OldestVersion = 2;

    /// <returns>Null if the payload is shorter than the ids or its version predates Windows Vista.</returns>
    public static ProcessPayload? Read(ReadOnlySpan<byte> payload, int version, int pointerSize)
    {
        // Key, ids of the process, its parent and its session, exit status, page table, flags.
        var sid = pointerSize + (4 * sizeof(int)) + (version >= PageTableVersion ? pointerSize : 0) + (version >= FlagsVersion ? sizeof(int) : 0);
        if (version < OldestVersion || payload.Length < sid + sizeof(int))
        {
            return null;
        }

        var pid = BinaryPrimitives.ReadInt32LittleEndian(payload[pointerSize..]);
        var rest = payload[sid..];
        var name = BinaryPrimitives.ReadInt32LittleEndian(rest) == 0 ? sizeof(int) : SidBytes(rest, 2 * pointerSize);
        if (name > rest.Length)
        {
            return new ProcessPayload(pid, null, null);
        }

        rest = rest[name..];
        var end = rest.IndexOf((byte)0);
        return end < 0
            ? new ProcessPayload(pid, null, null)
            : new ProcessPayload(pid, end == 0 ? null : Encoding.Latin1.GetString(rest[..end]), Utf16Text.Read(rest[(end + 1)..]));
    }

    private static int SidBytes(ReadOnlySpan<byte> rest, int user) =>
        rest.Length < user + SidHeader ? int.MaxValue : user + SidHeader + (AuthorityBytes * rest[user + SidCountOffset]);
}
