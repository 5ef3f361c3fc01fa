namespace Poolscope.Decode.Requests;

/// <summary>Decodes the path in an activity's id: the numbers from the outermost activity to this one, which the
/// runtime writes into the first twelve bytes (ActivityTracker.AddIdToGuid in System.Private.CoreLib). The last four
/// bytes are a checksum.</summary>
internal static class ActivityPath
{
    private const int PathBytes = 12;
    private const int GuidBytes = 16;

    // Codes of a nibble: 0 ends the path, 1 to 10 are the number itself, 11 marks a path that is too long, and 12 to 15
    // announce a number of one to four bytes.
    private const int LastNumber = 10;
    private const int OneByte = 12;

    /// <summary>Returns the path without the checksum.</summary>
    public static Guid Of(Guid activity)
    {
        Span<byte> bytes = stackalloc byte[GuidBytes];
        activity.TryWriteBytes(bytes);
        bytes[PathBytes..].Clear();
        return new Guid(bytes);
    }

    /// <summary>Returns the path of the enclosing activity.</summary>
    /// <returns>The path; null if it was too long to be written.</returns>
    public static Guid? Around(Guid activity)
    {
        Span<byte> bytes = stackalloc byte[GuidBytes];
        activity.TryWriteBytes(bytes);
        var (at, last) = (0, 0); // in nibbles
        while (at < 2 * PathBytes && Nibble(bytes, at) is > 0 and var code)
        {
            last = at;
            if (code <= LastNumber)
            {
                at++;
                continue;
            }

            if (code < OneByte)
            {
                return null;
            }

            // A number's bytes begin at the next whole byte. The other half of the code's byte holds the upper bits of
            // a number below 4096, whose second byte then stays empty.
            var begin = (at / 2) + 1;
            var next = begin + code - OneByte + 1;
            var isSplit = at % 2 == 0 && (bytes[at / 2] & 0xF) > 0;
            at = 2 * (isSplit && next < PathBytes && bytes[next] == 0 ? next + 1 : next);
        }

        if (at > 2 * PathBytes)
        {
            return null;
        }

        bytes[((last + 1) / 2)..].Clear();
        if (last % 2 == 1)
        {
            bytes[last / 2] &= 0xF0;
        }

        return new Guid(bytes);
    }

    private static int Nibble(Span<byte> bytes, int at) => at % 2 == 0 ? bytes[at / 2] >> 4 : bytes[at / 2] & 0xF;
}
