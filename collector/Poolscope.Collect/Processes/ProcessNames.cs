namespace Poolscope.Collect.Processes;

/// <summary>What a .NET process is called: its program, not its host.</summary>
public static class ProcessNames
{
    /// <returns>For <c>dotnet [exec ...] app.dll</c>: app. For anything else the first word's file name.</returns>
    public static string Of(IReadOnlyList<string> command)
    {
        if (command.Count == 0)
        {
            return "";
        }

        var host = Path.GetFileName(command[0]);
        return host == "dotnet" && ManagedProgram(command) is { } program ? Path.GetFileNameWithoutExtension(program) : host;
    }

    /// <summary>The assembly that <c>dotnet</c> was asked to run; null: not that form.</summary>
    public static string? ManagedProgram(IReadOnlyList<string> command) =>
        command.Count > 1 && Path.GetFileName(command[0]) == "dotnet"
            ? command.Skip(1).FirstOrDefault(word => word.EndsWith(".dll", StringComparison.OrdinalIgnoreCase))
            : null;

    /// <summary>For lists: the words with a blank between, those with blanks in quotes.</summary>
    public static string Join(IEnumerable<string> command) =>
        string.Join(' ', command.Select(word => word.Length == 0 || word.Contains(' ', StringComparison.Ordinal) ? $"\"{word}\"" : word));
}
