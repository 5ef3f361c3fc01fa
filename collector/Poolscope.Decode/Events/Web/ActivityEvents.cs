using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Events.Web;

/// <summary>Activities begin and end, and threads work for them.</summary>
internal interface IActivityEvents
{
    /// <summary>An activity of an ActivitySource begins.</summary>
    /// <param name="flow">The activity of this event, in EventSource's sense; empty: not reported.</param>
    void ActivityStart(long time, int tid, Guid flow, in ActivityNames names);

    /// <summary>An activity ends.</summary>
    void ActivityStop(long time, int tid, in ActivityNames names);

    /// <summary>A thread tells of anything, once an activity was told of: what it is at, in EventSource's sense. Comes before
    /// the event's own call.</summary>
    /// <param name="flow">Empty: at nothing that is known.</param>
    void ThreadAt(long time, int tid, Guid flow);
}

/// <summary>Microsoft-Diagnostics-DiagnosticSource: ActivityStart and ActivityStop, both with the names of source and activity
/// (UTF-16 strings that end in a zero) and the properties that the session asked for: their number (u16), then key and value of
/// each as such strings.</summary>
internal static class ActivityEvents
{
    /// <summary>Of activities with ids of the old form (ActivityIdFormat.Hierarchical), and in place of a parent if there is none.</summary>
    private const string NoSpan = "0000000000000000";

    public static bool Decode(in RawEvent e, IActivityEvents sink)
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

/// <summary>What an activity is called.</summary>
/// <param name="Trace">Hexadecimal; empty: not reported.</param>
/// <param name="Span">Hexadecimal, unique within a trace and, being drawn from 2^64, in a process.</param>
/// <param name="Parent">Null: it began a trace, or its parent was not reported.</param>
internal readonly record struct ActivityNames(string Source, string Name, string Trace, string Span, string? Parent);
