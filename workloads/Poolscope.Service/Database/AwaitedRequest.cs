using System.Net;
using System.Net.Sockets;

namespace Poolscope.Service.Database;

/// <summary>Sends the same request as <see cref="Workloads.SlowService.BlockingRequest"/> without holding a
/// thread.</summary>
public static class AwaitedRequest
{
    private static readonly byte[] Request =
        "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"u8.ToArray();

    /// <returns>The size of the whole answer, bytes.</returns>
    /// <exception cref="SocketException">The server cannot be reached.</exception>
    /// <exception cref="InvalidDataException">The status of the answer is not 200.</exception>
    public static async Task<int> SendAsync(EndPoint server)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(server).ConfigureAwait(false);
        await socket.SendAsync(Request).ConfigureAwait(false);
        var answer = new byte[256];
        var length = 0;
        for (int received; (received = await socket.ReceiveAsync(answer.AsMemory(length)).ConfigureAwait(false)) > 0;)
        {
            length += received;
        }

        return answer.AsSpan(0, length).StartsWith("HTTP/1.1 200 "u8)
            ? length
            : throw new InvalidDataException("the database gave no answer");
    }
}
