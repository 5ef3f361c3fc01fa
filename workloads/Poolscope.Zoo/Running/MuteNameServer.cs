using System.Net;
using System.Net.Sockets;

namespace Zoo.Running;

/// <summary>A name server that never answers, on 127.0.0.77: <c>zoo mute-dns SECONDS</c>.</summary>
internal static class MuteNameServer
{
    /// <summary>Receives queries and drops them.</summary>
    public static int Run(double seconds)
    {
        using var socket = new UdpClient(new IPEndPoint(IPAddress.Parse("127.0.0.77"), 53));
        Console.WriteLine("listening");
        Thread.Sleep(TimeSpan.FromSeconds(seconds));
        return 0;
    }
}
