using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>Microsoft-Diagnostics-DiagnosticSource: ActivityStart and ActivityStop, both with the names of source and activity
/// (UTF-16 strings that end in a zero) and the properties that the session asked for: their number (u16), then key and value of
/// each as such strings.</summary>
internal static class ActivityEvents
{
    /// <summary>Of activities with ids of the old form (ActivityIdFormat.Hierarchical), and in place of a parent if there is none.</summary>
    private const string NoSpan = "0000000000000000";

    public static bool Decode(in RawEvent e, IRuntimeEvents sink)
    {
        if (e.Id is not (KnownEvents.ActivityStart or KnownEvents.ActivityStop) || Names(e) is not { } names)
        {
            return false;
        }

        if (e.Id == KnownEvents.ActivityStart)
        {
            sink.ActivityStart(e.Time, e.Tid, e.Activity, names);
        }
        else
        {
            sink.ActivityStop(e.Time, e.Tid, names);
        }

        return true;
    }

    /// <summary>Null: the payload is cut, or has no span by which the end could be determined from others.</summary>
    private static ActivityNames? Names(in RawEvent e)
    {
        if (!Utf16.TryRead(e.Payload, 0, out var source, out var next)
            || !Utf16.TryRead(e.Payload, next, out var name, out next)
            || !e.Has(next + sizeof(ushort)))
        {
            return null;
        }

        var (trace, span, parent) = ("", "", "");
        var count = e.UInt16(next);
        next += sizeof(ushort);
        for (var n = 0; n < count; n++)
        {
            if (!Utf16.TryRead(e.Payload, next, out var key, out next) || !Utf16.TryRead(e.Payload, next, out var value, out next))
            {
                return null;
            }

            switch (key)
            {
                case "TraceId":
                    trace = value;
                    break;
                case "SpanId":
                    span = value;
                    break;
                case "ParentSpanId":
                    parent = value;
                    break;
                case "DisplayName" when value is not "":
                    name = value;
                    break;
            }
        }

        return span is "" or NoSpan ? null : new(source, name, trace, span, parent is "" or NoSpan ? null : parent);
    }
}
