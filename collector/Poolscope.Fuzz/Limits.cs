using Poolscope.Fuzz.Formats;

namespace Poolscope.Fuzz;

/// <summary>The limits of decoding one input.</summary>
internal static class Limits
{
    /// <summary>Bytes allocated in total, per byte of the capture's files. So the decoder never holds more than
    /// this.</summary>
    public const long BytesPerByte = 64;

    /// <summary>Bytes allocated for any input: tables, buffers, the schema of a library.</summary>
    public const long FixedBytes = 8L << 20;

    /// <summary>Length of the longest input, bytes.</summary>
    public const int InputBytes = 256 << 10;

    /// <summary>The time for one input, which has some tens of kB.</summary>
    public static TimeSpan Time { get; } = TimeSpan.FromSeconds(30);

    public static long BytesFor(long input) => FixedBytes + (BytesPerByte * input);

    /// <summary>Returns why an input was not answered as it should be, or null if it was.</summary>
    /// <param name="capture">Bytes in all files of the capture.</param>
    public static string? Missed(FileFormat format, long capture, Outcome outcome) =>
        outcome.Failure is { } failure ? failure.ToString()
        : outcome.Time > Time ? $"took {outcome.Time.TotalSeconds:0.0} s"
        : !format.IsReadByTraceEvent && outcome.AllocatedBytes > BytesFor(capture) ? $"allocated {outcome.AllocatedBytes >> 20} MiB for {capture >> 10} KiB"
        : null;
}
