namespace Poolscope.PerfEvents.Capture.Events;

/// <summary>The events of TCP sockets: data that arrives, what threads send and read, and connections that come and go.</summary>
internal static class SocketEvents
{
    // 1: established, 2: a connection is asked for, 7: closed, 8: the other end has closed it (TcpState). What lies between says
    // nothing that these do not, and is 5 of the 11 records of a connection that has both its ends on this machine.
    private const string States = "protocol == 6 && (newstate == 1 || newstate == 2 || newstate == 7 || newstate == 8)";

    // Acknowledgements without data, reads that found nothing, errors and other protocols stay in the kernel: they are most
    // of what happens, and tell of no wait. So does a look at data that stays where it is (MSG_PEEK, 2), as Kestrel's at the
    // first byte of a connection. A send that would block (-11, EAGAIN) is kept: the buffer is full of what the other end has not
    // taken.
    private static readonly (string System, string Name, string Filter)[] Tracepoints =
    [
        ("tcp", "tcp_probe", "data_len > 0"),
        ("sock", "sock_send_length", "protocol == 6 && (ret > 0 || ret == -11)"),
        ("sock", "sock_recv_length", "protocol == 6 && ret >= 0 && !(flags & 2)"),
        ("sock", "inet_sock_set_state", States),
    ];

    /// <summary>Opens all of them, filtered; they are not yet enabled.</summary>
    /// <exception cref="SchedulerRefusedException">This kernel lacks one of them, or does not let this process; nothing stays
    /// open. Arrivals without reads, or reads without arrivals, would tell of waits that were none.</exception>
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

    /// <summary>The field without which an event's records say nothing: which socket. Null: it is there.</summary>
    private static string? MissingField(EventRequest request)
    {
        var format = Reading.TracepointFormat.Parse(request.Format!);
        return format.Has("skaddr") || format.Has("sk") ? null : "the socket";
    }
}
