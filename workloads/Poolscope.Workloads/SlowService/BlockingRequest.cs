using System.Net;
using System.Net.Sockets;

namespace Poolscope.Workloads.SlowService;

/// <summary>One HTTP/1.1 request on a blocking socket.</summary>
public static class BlockingRequest
{
    private static readonly byte[] Request =
        "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"u8.ToArray();

    /// <summary>Sends a request, and blocks the calling thread until the whole answer has arrived.</summary>
    /// <exception cref="SocketException">The service cannot be reached.</exception>
    /// <exception cref="InvalidDataException">The status of the answer is not 200.</exception>
    public static void Send(EndPoint service)
    {
        // A socket that never saw an asynchronous call stays in the kernel's blocking mode: the thread waits in
        // connect(2) and recv(2) themselves, not in the runtime's emulation of blocking.
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Connect(service);
        socket.Send(Request);
        Span<byte> answer = stackalloc byte[256];
        var length = 0;
        for (int received; (received = socket.Receive(answer[length..])) > 0;)
        {
            length += received;
        }

        if (!answer[..length].StartsWith("HTTP/1.1 200 "u8))
        {
            throw new InvalidDataException("the slow service gave no answer");
        }
    }
}
