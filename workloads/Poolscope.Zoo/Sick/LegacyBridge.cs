using System.Net.Sockets;
using System.Text;
using Zoo.Running;

namespace Legacy.Bridge;

/// <summary>Each request asks an old system and reads with a blocking Read: 700 ms, 30 times a second.</summary>
internal static class LegacyBridge
{
    public static void Run(Stage stage)
    {
        var mainframe = new Mainframe(new Uri(Child.Remote(stage, delayMs: 700)));
        var app = Site.NewBuilder().Build();
        if (stage.Fixed)
        {
            app.MapGet("/policy/{number:int}", (int number) => mainframe.AskAsync(number));
        }
        else
        {
            app.MapGet("/policy/{number:int}", (int number) => mainframe.Ask(number));
        }

        app.Serve(stage, "/policy/1@1@0@2", "/policy/2@30@2@end");
    }
}

internal sealed class Mainframe(Uri address)
{
    public string Ask(int policy)
    {
        using var client = new TcpClient(address.Host, address.Port);
        var stream = client.GetStream();
        stream.Write(Encoding.ASCII.GetBytes($"GET /{policy} HTTP/1.1\r\nHost: mainframe\r\n\r\n"));
        var buffer = new byte[512];
        var length = stream.Read(buffer);
        return Encoding.ASCII.GetString(buffer, 0, length);
    }

    public async Task<string> AskAsync(int policy)
    {
        using var client = new TcpClient();
        await client.ConnectAsync(address.Host, address.Port);
        var stream = client.GetStream();
        await stream.WriteAsync(Encoding.ASCII.GetBytes($"GET /{policy} HTTP/1.1\r\nHost: mainframe\r\n\r\n"));
        var buffer = new byte[512];
        var length = await stream.ReadAsync(buffer);
        return Encoding.ASCII.GetString(buffer, 0, length);
    }
}
