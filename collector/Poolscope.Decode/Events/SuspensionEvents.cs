using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>Stop-the-world and managed threads.</summary>
internal static class SuspensionEvents
{
    public static bool Decode(in RawEvent e, IRuntimeEvents sink)
    {
        switch (e.Id)
        {
            case 9 when e.Has(4):
                sink.SuspendBegin(e.Time, e.Int32(0));
                return true;
            case 3:
                sink.SuspendEnd(e.Time);
                return true;
            case 85 when e.Has(28):
                sink.ThreadCreated(e.Time, ThreadEvents.Tid(e), ThreadEvents.Id(e));
                return true;
            default:
                return false;
        }
    }
}
