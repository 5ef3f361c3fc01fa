using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>Receives the suspensions of managed threads.</summary>
internal interface ISuspensionEvents
{
    /// <summary>The runtime begins to stop all managed threads (9).</summary>
    void SuspendBegin(long time, int reason);

    /// <summary>All managed threads run again (3).</summary>
    void SuspendEnd(long time);
}

/// <summary>Decodes GCSuspendEEBegin and GCRestartEEEnd, also for suspensions other than collections.</summary>
internal static class SuspensionEvents
{
    public static bool Decode(in RawEvent e, ISuspensionEvents sink)
    {
        switch (e.Id)
        {
            case 9 when e.Has(4):
                sink.SuspendBegin(e.Time, e.Int32(0));
                return true;
            case 3:
                sink.SuspendEnd(e.Time);
                return true;
            default:
                return false;
        }
    }
}
