namespace Poolscope.Look.Judging;

/// <summary>Separates the program's own modules from those of packages and of the runtime.</summary>
/// <param name="named">The program's own assemblies, as its deps.json names them; null: not known.</param>
/// <param name="modules">Paths of all managed modules.</param>
public sealed class OwnModules(IReadOnlyCollection<string>? named, IReadOnlyList<string> modules)
{
    private readonly HashSet<string> _own = new(named ?? modules.Where(IsLikelyOwn).Select(Name), StringComparer.OrdinalIgnoreCase);

    /// <param name="frame">In the form of <see cref="Lines.ThreadLine.Frames"/>.</param>
    public bool Has(string frame) => frame.IndexOf('!', StringComparison.Ordinal) is var at and > 0 && _own.Contains(frame[..at]);

    /// <summary>Returns whether a module is probably the program's own, if there is no list: it is not part of a shared
    /// runtime and does not have a .NET name.</summary>
    private static bool IsLikelyOwn(string path) =>
        !path.Contains("/shared/Microsoft.", StringComparison.Ordinal)
        && Name(path) is not ("System" or "netstandard" or "mscorlib" or "WindowsBase") and var name
        && !name.StartsWith("System.", StringComparison.Ordinal) && !name.StartsWith("Microsoft.", StringComparison.Ordinal);

    private static string Name(string path) => Path.GetFileNameWithoutExtension(path);
}
