using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Events.Web;

/// <summary>Receives the start and the end of activities, and the activity that each thread works for.</summary>
internal interface IActivityEvents
{
    /// <summary>An activity of an ActivitySource begins.</summary>
    /// <param name="flow">The activity of this event, in EventSource's sense; empty if not reported.</param>
    void ActivityStart(long time, int tid, Guid flow, in ActivityNames names);

    /// <summary>An activity ends.</summary>
    void ActivityStop(long time, int tid, in ActivityNames names);

    /// <summary>A thread wrote any event, after the first activity event. Called before the event's own
    /// method.</summary>
    /// <param name="flow">The activity that the thread works for, in EventSource's sense; empty if unknown.</param>
    void ThreadAt(long time, int tid, Guid flow);
}

/// <summary>Decodes Microsoft-Diagnostics-DiagnosticSource: ActivityStart and ActivityStop. Both hold the names of
/// source and activity (zero-terminated UTF-16) and the properties that the session requested: their number (u16), then
/// the key and value of each as such strings.</summary>
internal static class ActivityEvents
{
    /// <summary>The span of activities with ids of the old form (ActivityIdFormat.Hierarchical), and the parent if
    /// there is none.</summary>
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

    /// <summary>Reads the names; null if the payload is cut, or has no span to identify the activity's end.</summary>
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

/// <summary>The names and ids of an activity.</summary>
/// <param name="Trace">Hexadecimal; empty if not reported.</param>
/// <param name="Span">Hexadecimal; unique within a trace and, as one of 2^64 random numbers, in a process.</param>
/// <param name="Parent">The parent's span; null if the activity began a trace or its parent was not reported.</param>
internal readonly record struct ActivityNames(string Source, string Name, string Trace, string Span, string? Parent);
