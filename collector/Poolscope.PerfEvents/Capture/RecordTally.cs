using System.Buffers.Binary;
using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents.Capture;

/// <summary>Counts what passes through one ring, by record headers alone.</summary>
internal sealed class RecordTally
{
    private const int LostCountOffset = 16;

    /// <summary>SAMPLE and SWITCH records.</summary>
    internal long Events { get; private set; }

    /// <summary>Sum of LOST records.</summary>
    internal long Lost { get; private set; }

    internal void Count(in RingContent content)
    {
        for (var at = 0; at < content.Length;)
        {
            var header = content.From(at);
            switch ((RecordType)BinaryPrimitives.ReadUInt32LittleEndian(header))
            {
                case RecordType.Sample or RecordType.Switch:
                    Events++;
                    break;
                case RecordType.Lost:
                    Lost += BinaryPrimitives.ReadInt64LittleEndian(content.From(at + LostCountOffset));
                    break;
            }

            at += BinaryPrimitives.ReadUInt16LittleEndian(header[6..]);
        }
    }
}
