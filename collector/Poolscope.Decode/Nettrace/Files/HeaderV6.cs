using System.Globalization;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Files;

/// <summary>Reads the header of a file of version 6: the wall clock and the ticks at its start, the tick frequency, the
/// pointer size, and keys with values.</summary>
internal static class HeaderV6
{
    private const int FixedBytes = 36;
    private const string Process = "ProcessId";
    private const string Processors = "HardwareThreadCount";

    /// <exception cref="NettraceDamage">The header is damaged.</exception>
    public static NettraceHeader Read(ReadOnlySpan<byte> block, StreamBounds bounds)
    {
        if (block.Length < FixedBytes + sizeof(int))
        {
            throw new NettraceDamage("the header is too short");
        }

        var values = new BlockBytes(block[FixedBytes..]);
        var (process, processors) = (-1, 0);
        for (var count = values.UInt32(); count > 0; count--)
        {
            var (key, value) = (values.Text(), values.Text());
            if (key is Process or Processors && int.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out var number))
            {
                (process, processors) = key == Process ? (number, processors) : (process, number);
            }
        }

        return NettraceHeader.Of(NettraceHeader.SeveralProcesses, block, process, processors, bounds);
    }
}
