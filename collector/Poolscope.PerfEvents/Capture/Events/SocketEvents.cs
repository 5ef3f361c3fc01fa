namespace Poolscope.PerfEvents.Capture.Events;

/// <summary>The events of TCP sockets: arriving data, sends and reads of threads, and connections that open and
/// close.</summary>
internal static class SocketEvents
{
    // 1: established, 2: connection requested, 7: closed, 8: closed by the other end (TcpState). The states between say
    // nothing new, and are 5 of the 11 records of a connection that has both its ends on this machine.
    private const string States = "protocol == 6 && (newstate == 1 || newstate == 2 || newstate == 7 || newstate == 8)";

    // The kernel drops acknowledgements without data, reads that found nothing, errors and other protocols: they are
    // most of the hits, and show no wait. It also drops reads that leave the data in place (MSG_PEEK, 2), such as
    // Kestrel's at the first byte of a connection. A send that would block (-11, EAGAIN) is kept: the buffer is full of
    // data that the other end has not taken.
    private static readonly (string System, string Name, string Filter)[] Tracepoints =
    [
        ("tcp", "tcp_probe", "data_len > 0"),
        ("sock", "sock_send_length", "protocol == 6 && (ret > 0 || ret == -11)"),
        ("sock", "sock_recv_length", "protocol == 6 && ret >= 0 && !(flags & 2)"),
        ("sock", "inet_sock_set_state", States),
    ];

    /// <summary>Opens all of them, filtered but not yet enabled.</summary>
    /// <exception cref="SchedulerRefusedException">This kernel lacks one of them, or does not let this process open it;
    /// nothing stays open. Arrivals without reads, or reads without arrivals, would show waits that did not
    /// happen.</exception>
    internal static IReadOnlyList<OpenEvent> Open(Tracefs tracefs, IReadOnlyList<int> cpus)
    {
        var opened = new List<OpenEvent>();
        try
        {
            foreach (var (system, name, filter) in Tracepoints)
            {
                if (!tracefs.Has(system, name))
                {
                    throw new SchedulerRefusedException($"this kernel has no tracepoint {system}:{name}", "Use Linux 6.3 or newer to record sockets");
                }

                var open = new OpenEvent(SchedulerEvents.Tracepoint(tracefs, system, name), cpus);
                opened.Add(open);
                if (MissingField(open.Request) is { } missing)
                {
                    throw new SchedulerRefusedException($"tracepoint {system}:{name} of this kernel does not report {missing}", "Use Linux 6.9 or newer to record sockets");
                }

                open.Filter(filter);
            }

            return opened;
        }
        catch
        {
            opened.ForEach(e => e.Dispose());
            throw;
        }
    }

    /// <summary>Returns the field that is missing and without which an event's records say nothing (the socket), or
    /// null.</summary>
    private static string? MissingField(EventRequest request)
    {
        var format = Reading.TracepointFormat.Parse(request.Format!);
        return format.Has("skaddr") || format.Has("sk") ? null : "the socket";
    }
}
