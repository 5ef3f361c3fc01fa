using System.Text;

namespace Poolscope.Decode.Tests.Etw;

/// <summary>Builds the bytes of an event field by field. A nint is as wide as the system's pointers, a string is
/// zero-terminated UTF-16, and bytes are copied.</summary>
internal static class Payload
{
    public static byte[] Of(int pointerSize, params object[] fields) => [.. fields.SelectMany(field => field switch
    {
        byte v => [v],
        byte[] v => v,
        sbyte v => [(byte)v],
        ushort v => BitConverter.GetBytes(v),
        int v => BitConverter.GetBytes(v),
        long v => BitConverter.GetBytes(v),
        double v => BitConverter.GetBytes(v),
        nint v => BitConverter.GetBytes((long)v)[..pointerSize],
        string v => Encoding.Unicode.GetBytes(v + '\0'),
        _ => throw new ArgumentException(field.GetType().Name),
    })];
}
