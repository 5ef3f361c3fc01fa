namespace Poolscope.Collect.Processes;

/// <summary>Names a .NET process after its program, not its host.</summary>
public static class ProcessNames
{
    /// <returns>For <c>dotnet [exec ...] app.dll</c>: app. Else the file name of the first word.</returns>
    public static string Of(IReadOnlyList<string> command)
    {
        if (command.Count == 0)
        {
            return "";
        }

        var host = Path.GetFileName(command[0]);
        return host == "dotnet" && ManagedProgram(command) is { } program ? Path.GetFileNameWithoutExtension(program) : host;
    }

    /// <summary>Returns the assembly that <c>dotnet</c> runs, or null for a command of another form.</summary>
    public static string? ManagedProgram(IReadOnlyList<string> command) =>
        command.Count > 1 && Path.GetFileName(command[0]) == "dotnet"
            ? command.Skip(1).FirstOrDefault(word => word.EndsWith(".dll", StringComparison.OrdinalIgnoreCase))
            : null;

    /// <summary>Joins the words for a list: with a blank between them, and quotes around those with blanks.</summary>
    public static string Join(IEnumerable<string> command) =>
        string.Join(' ', command.Select(word => word.Length == 0 || word.Contains(' ', StringComparison.Ordinal) ? $"\"{word}\"" : word));
}
