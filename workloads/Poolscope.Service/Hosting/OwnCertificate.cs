using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Poolscope.Service.Hosting;

/// <summary>A certificate for TLS on loopback, made for one run.</summary>
internal static class OwnCertificate
{
    public static X509Certificate2 Create()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        var now = DateTimeOffset.UtcNow;
        return request.CreateSelfSigned(now.AddDays(-1), now.AddDays(1));
    }
}
