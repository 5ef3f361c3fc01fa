using System.Globalization;
using System.Net;

namespace Poolscope.Collect.Metrics;

/// <summary>The address at which metrics are served.</summary>
/// <param name="Port">1 to 65535.</param>
public sealed record MetricsAddress(IPAddress Address, int Port)
{
    /// <summary>The URL for people and scrapers.</summary>
    public string Url => $"http://{Host}:{Port.ToString(CultureInfo.InvariantCulture)}/metrics";

    /// <summary>The address in the form of .NET's listener, in which `+` is every address.</summary>
    internal string Prefix => $"http://{(Equals(Address, IPAddress.Any) ? "+" : Host)}:{Port.ToString(CultureInfo.InvariantCulture)}/";

    private string Host => Address.AddressFamily == System.Net.Sockets.AddressFamily.InterNetworkV6 ? $"[{Address}]" : Address.ToString();

    /// <summary>Parses a port, which is served to this machine alone, or an address with its port.</summary>
    /// <returns>Null if the text is neither.</returns>
    public static MetricsAddress? Parse(string text)
    {
        var colon = text.LastIndexOf(':');
        var host = colon < 0 ? "127.0.0.1" : text[..colon];
        if (!int.TryParse(text[(colon + 1)..], NumberStyles.None, CultureInfo.InvariantCulture, out var port) || port is < 1 or > 65535)
        {
            return null;
        }

        var bare = host switch
        {
            "localhost" => "127.0.0.1",
            ['[', .., ']'] => host[1..^1],
            _ when host.Contains(':', StringComparison.Ordinal) => "", // IPv6 without brackets: its last part is no port
            _ => host,
        };

        // .NET's listener serves every address by IPv4 only. "1" would be 0.0.0.1.
        return IPAddress.TryParse(bare, out var address) && !address.Equals(IPAddress.IPv6Any) && (bare.Contains(':', StringComparison.Ordinal) || bare.Count(c => c == '.') == 3)
            ? new MetricsAddress(address, port)
            : null;
    }
}
