using System.Globalization;

namespace Poolscope.Collect.Processes;

/// <summary>Checks whether the environment of a .NET process turns its diagnostic commands off.</summary>
internal static class DiagnosticsSwitch
{
    private static readonly string[] Variables =
    [
        "DOTNET_EnableDiagnostics",
        "DOTNET_EnableDiagnostics_IPC",
        "COMPlus_EnableDiagnostics",
        "COMPlus_EnableDiagnostics_IPC",
    ];

    /// <returns>The variable, such as "DOTNET_EnableDiagnostics=0", or null if none turns them off.</returns>
    public static string? TurnedOffBy(IReadOnlyDictionary<string, string> environment) => Variables
        .Where(name => environment.TryGetValue(name, out var value) && IsZero(value))
        .Select(name => $"{name}={environment[name]}")
        .FirstOrDefault();

    /// <summary>Returns whether a text is zero. The runtime reads hexadecimal, with or without 0x.</summary>
    private static bool IsZero(string text)
    {
        var digits = text.Trim();
        digits = digits.StartsWith("0x", StringComparison.OrdinalIgnoreCase) ? digits[2..] : digits;
        return uint.TryParse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var value) && value == 0;
    }
}
