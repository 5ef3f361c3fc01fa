using System.Globalization;
using System.Text.Json;
using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Facts;

/// <summary>The configuration of a .NET process at its start: DOTNET_ variables (formerly COMPlus_) and
/// runtimeconfig.json.</summary>
internal sealed class RuntimeSettings(IReadOnlyDictionary<string, string> environment, JsonElement? configProperties)
{
    public static RuntimeSettings Of(ProcFs proc, int pid) => new(proc.EnvironmentOf(pid), ConfigProperties(proc, pid));

    /// <summary>Returns the text of a variable. The DOTNET_ form takes precedence.</summary>
    public string? Variable(string name) =>
        environment.GetValueOrDefault("DOTNET_" + name) is { Length: > 0 } text ? text : environment.GetValueOrDefault("COMPlus_" + name);

    /// <summary>Returns a number that the runtime reads as hexadecimal, with or without 0x. Measured: 14 gives 20
    /// threads, and text that is no number counts as absent.</summary>
    public int? HexVariable(string name)
    {
        var text = Variable(name)?.Trim();
        if (text is not null && text.StartsWith("0x", StringComparison.OrdinalIgnoreCase))
        {
            text = text[2..];
        }

        return int.TryParse(text, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var value) ? value : null;
    }

    /// <summary>Returns a property of runtimeconfig.json, written as a number or as text.</summary>
    public int? Property(string name)
    {
        if (configProperties is not { ValueKind: JsonValueKind.Object } properties || !properties.TryGetProperty(name, out var property))
        {
            return null;
        }

        return property.ValueKind switch
        {
            JsonValueKind.Number when property.TryGetInt32(out var number) => number,
            JsonValueKind.String when int.TryParse(property.GetString(), CultureInfo.InvariantCulture, out var number) => number,
            _ => null,
        };
    }

    private static JsonElement? ConfigProperties(ProcFs proc, int pid) => ConfigFile(proc, pid) is { } path ? ConfigProperties(path) : null;

    /// <param name="path">The path of a runtimeconfig.json.</param>
    /// <returns>Null if the file cannot be read, or sets nothing.</returns>
    internal static JsonElement? ConfigProperties(string path)
    {
        try
        {
            using var document = JsonDocument.Parse(File.ReadAllBytes(path), new JsonDocumentOptions { CommentHandling = JsonCommentHandling.Skip, AllowTrailingCommas = true });
            return document.RootElement.TryGetProperty("runtimeOptions", out var options) && options.TryGetProperty("configProperties", out var properties)
                ? properties.Clone()
                : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or JsonException or InvalidOperationException)
        {
            return null;
        }
    }

    /// <summary>Returns the path of NAME.runtimeconfig.json, beside NAME.dll or beside the program's own launcher NAME.
    /// dotnet exec may name another file.</summary>
    private static string? ConfigFile(ProcFs proc, int pid)
    {
        var command = proc.CommandLine(pid);
        var named = command.SkipWhile(word => word != "--runtimeconfig").Skip(1).FirstOrDefault();
        var program = named ?? ProcessNames.ManagedProgram(command) ?? proc.LinkTarget(pid, "exe");
        if (program is null)
        {
            return null;
        }

        var absolute = Path.Combine(proc.LinkTarget(pid, "cwd") ?? "/", program);
        var config = named is not null ? absolute
            : (absolute.EndsWith(".dll", StringComparison.OrdinalIgnoreCase) ? absolute[..^4] : absolute) + ".runtimeconfig.json";
        var inOwnRoot = proc.PathOf(pid, "root") + config;
        return File.Exists(inOwnRoot) ? inOwnRoot : proc.PathOf(config);
    }
}
