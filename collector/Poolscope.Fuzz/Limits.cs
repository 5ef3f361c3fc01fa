namespace Poolscope.Fuzz;

/// <summary>What decoding an input may cost.</summary>
internal static class Limits
{
    /// <summary>Bytes allocated, all in all, per byte of the capture's files; so no more than this is ever held.</summary>
    public const long BytesPerByte = 64;

    /// <summary>Bytes allocated whatever the input: tables, buffers, the schema of a library.</summary>
    public const long FixedBytes = 8L << 20;

    /// <summary>For one input, which has some tens of kB.</summary>
    public static TimeSpan Time { get; } = TimeSpan.FromSeconds(30);

    public static long BytesFor(long input) => FixedBytes + (BytesPerByte * input);
}
