using System.Buffers.Binary;
using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>Receives the starts and callbacks of timers.</summary>
internal interface ITimerEvents
{
    /// <summary>A timer was created with a due time, or changed to one (FrameworkEventSource 150). Stopping a timer
    /// writes no event.</summary>
    /// <param name="timerId">The timer's hash code: not unique.</param>
    /// <param name="dueMs">ms from now.</param>
    /// <param name="periodMs">ms from one callback to the next; 0 for a single callback.</param>
    void TimerStarted(long time, int tid, long timerId, uint dueMs, uint periodMs);

    /// <summary>A timer's callback is about to run (151).</summary>
    void TimerFired(long time, int tid, long timerId);
}

/// <summary>Decodes ThreadTransferSend and ThreadTransferReceive, whose kinds include timers: id int64, kind int32,
/// info (zero-terminated UTF-16). Send continues with a bool of four bytes and two int32.</summary>
internal static class TimerEvents
{
    private const int Timer = 1;
    private const int Info = 12;
    private const uint Infinite = uint.MaxValue;

    public static bool Decode(in RawEvent e, ITimerEvents sink)
    {
        switch (e.Id)
        {
            case 150 when e.Has(Info) && BehindInfo(e) is var after && e.Has(after + 12):
                var due = (uint)e.Int32(after + 4);
                var period = (uint)e.Int32(after + 8);
                if (e.Int32(8) == Timer && due != Infinite)
                {
                    // Both 0 and infinite mean a single callback.
                    sink.TimerStarted(e.Time, e.Tid, e.Int64(0), due, period == Infinite ? 0 : period);
                }

                return true;
            case 151 when e.Has(Info):
                if (e.Int32(8) == Timer)
                {
                    sink.TimerFired(e.Time, e.Tid, e.Int64(0));
                }

                return true;
            default:
                return false;
        }
    }

    private static int BehindInfo(in RawEvent e)
    {
        var at = Info;
        while (e.Has(at + 2) && BinaryPrimitives.ReadUInt16LittleEndian(e.Payload[at..]) != 0)
        {
            at += 2;
        }

        return at + 2;
    }
}
