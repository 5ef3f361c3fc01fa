using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Zoo.Running;

namespace Partner.Calls;

/// <summary>
/// A web service that calls a partner over TLS, with a new connection each time. The revocation check requests the list
/// of the partner's authority, which takes 0.7 s and is never there. The runtime does so on the pool's threads.
/// </summary>
internal static class PartnerCalls
{
    private const int ListDelayMs = 700;

    public static void Checked(Stage stage) => Serve(stage, X509RevocationMode.Online);

    public static void Unchecked(Stage stage) => Serve(stage, X509RevocationMode.NoCheck);

    private static void Serve(Stage stage, X509RevocationMode mode)
    {
        var listPort = FreePort();
        var (authority, certificate) = Certificates($"http://127.0.0.1:{listPort}/list.crl");
        var file = Path.GetTempFileName();
        File.WriteAllBytes(file, certificate);
        var child = Child.Start("partner", Spoken.Of(stage.Seconds - stage.Now + 5), file, listPort.ToString());
        var address = child.StandardOutput.ReadLine()!;
        File.Delete(file);
        var policy = new X509ChainPolicy
        {
            TrustMode = X509ChainTrustMode.CustomRootTrust,
            RevocationMode = mode,
            RevocationFlag = X509RevocationFlag.EndCertificateOnly,
            VerificationFlags = X509VerificationFlags.IgnoreEndRevocationUnknown,
            UrlRetrievalTimeout = TimeSpan.FromSeconds(5),
        };
        policy.CustomTrustStore.Add(authority);
        var http = new HttpClient(new SocketsHttpHandler
        {
            PooledConnectionLifetime = TimeSpan.Zero,
            SslOptions = new SslClientAuthenticationOptions { CertificateChainPolicy = policy, TargetHost = "localhost" },
        })
        { BaseAddress = new Uri(address) };
        var app = Site.NewBuilder().Build();
        app.MapGet("/partner/{order:int}", async (int order) => await AskAsync(http, order));
        app.Serve(stage, $"/partner/1@1@0@{Spoken.Of(stage.Onset)}", $"/partner/2@20@{Spoken.Of(stage.Onset)}@end");
    }

    /// <summary>Serves the partner: <c>real-zoo partner SECONDS CERTIFICATE LISTPORT</c>. Writes its address.</summary>
    public static int Partner(string[] words)
    {
        var certificate = new X509Certificate2(File.ReadAllBytes(words[1]));
        var builder = Site.NewBuilder();

        // Kestrel warns that these addresses replace the builder's, but the first line has to be the address.
        builder.Logging.SetMinimumLevel(LogLevel.Error);
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.Listen(IPAddress.Loopback, 0, endpoint => endpoint.UseHttps(certificate));
            kestrel.Listen(IPAddress.Loopback, int.Parse(words[2]), endpoint => endpoint.Protocols = HttpProtocols.Http1);
        });
        var app = builder.Build();
        app.MapGet("/list.crl", async () =>
        {
            await Task.Delay(ListDelayMs);
            return Results.NotFound();
        });
        app.MapGet("/{**path}", () => "shipped");
        app.Start();
        Console.WriteLine(app.Urls.First(u => u.StartsWith("https", StringComparison.Ordinal)));
        Thread.Sleep(TimeSpan.FromSeconds(Spoken.Number(words[0])));
        return 0;
    }

    private static async Task<string> AskAsync(HttpClient http, int order)
    {
        var state = await http.GetStringAsync($"orders/{order}");
        return $"{order}: {state}";
    }

    private static (X509Certificate2 Authority, byte[] Certificate) Certificates(string list)
    {
        using var authorityKey = RSA.Create(2048);
        var authority = new CertificateRequest("CN=partner authority", authorityKey, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        authority.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        authority.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign | X509KeyUsageFlags.CrlSign, true));
        authority.CertificateExtensions.Add(new X509SubjectKeyIdentifierExtension(authority.PublicKey, false));
        var (from, to) = (DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(30));
        using var root = authority.CreateSelfSigned(from, to);
        using var key = RSA.Create(2048);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost");
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(CertificateRevocationListBuilder.BuildCrlDistributionPointExtension([list]));
        using var signed = request.Create(root, from, to, Guid.NewGuid().ToByteArray());
        using var whole = signed.CopyWithPrivateKey(key);
        return (new X509Certificate2(root.RawData), whole.Export(X509ContentType.Pfx));
    }

    private static int FreePort()
    {
        using var probe = new TcpListener(IPAddress.Loopback, 0);
        probe.Start();
        return ((IPEndPoint)probe.LocalEndpoint).Port;
    }
}
