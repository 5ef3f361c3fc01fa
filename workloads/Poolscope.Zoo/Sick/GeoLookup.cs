using System.Net;
using System.Net.Sockets;
using Zoo.Running;

namespace Ads.Geo;

/// <summary>Looks up names with the blocking Dns.GetHostEntry, and the name server has stopped answering.</summary>
internal static class GeoLookup
{
    public static void Run(Stage stage)
    {
        Child.Start("mute-dns", Spoken.Of(stage.Seconds)).StandardOutput.ReadLine();
        stage.AwaitOnset();
        stage.Pace(10, n => ThreadPool.QueueUserWorkItem(_ => Resolve($"visitor-{n}.example.com")));
    }

    private static void Resolve(string host)
    {
        try
        {
            _ = Dns.GetHostEntry(host);
        }
        catch (SocketException)
        {
            // Unknown: shown without a place.
        }
    }
}
