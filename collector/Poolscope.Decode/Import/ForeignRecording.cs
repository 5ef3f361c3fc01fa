using System.Text.RegularExpressions;
using Poolscope.PerfEvents;

namespace Poolscope.Decode.Import;

/// <summary>The recording that other tools made of one process, inspected but not yet copied.</summary>
public sealed partial class ForeignRecording
{
    private const string Assembly = ".dll";

    internal ForeignRecording(string trace, TraceContents contents, string? scheduler, PerfRecording? perf, ClockEvidence? evidence = null) =>
        (Trace, Contents, Scheduler, Perf, Evidence) = (trace, contents, scheduler, perf, evidence);

    /// <summary>The path of the .nettrace file.</summary>
    public string Trace { get; }

    /// <summary>The path of the perf.data file, or of the text of `perf script`; null if there is none.</summary>
    public string? Scheduler { get; }

    /// <summary>The process id that the runtime sees. In a container it differs from the id outside.</summary>
    public int ProcessId => Contents.Header.ProcessId;

    /// <summary>The program's name, without folder or leading `dotnet`; process-PID if the file does not report
    /// it.</summary>
    public string Name => NameIn(Contents.CommandLine) is { Length: > 0 } name ? name : Contents.ProcessName.Length > 0 ? Contents.ProcessName : $"process-{ProcessId}";

    /// <summary>Whether the .nettrace file ends as its writer intended.</summary>
    public bool IsWhole => Contents.IsWhole;

    /// <summary>The proof, as a message, that the text of `perf script` has the trace's clock and threads; null if
    /// there is no proof or none is needed.</summary>
    public string? ProofOfClock => Evidence is { IsProven: true } evidence ? evidence.Text : null;

    internal TraceContents Contents { get; }

    /// <summary>The kernel's events in the .nettrace file itself; null if they do not show when threads ran.</summary>
    internal KernelEvents? Kernel => Contents.Survey?.Kernel is { Missing: null } kernel ? kernel : null;

    internal PerfRecording? Perf { get; }

    /// <summary>Evidence of a common clock; null if the perf.data file itself proves that it matches the
    /// trace.</summary>
    internal ClockEvidence? Evidence { get; }

    /// <returns>The name; empty if the command line is.</returns>
    internal static string NameIn(string commandLine)
    {
        string[] words = [.. Word().Matches(commandLine).Select(word => word.Value.Trim('"'))];
        var first = words.Length > 0 ? FileName(words[0]) : "";
        var assembly = first is "dotnet" or "dotnet.exe" ? words.Skip(1).FirstOrDefault(word => word.EndsWith(Assembly, StringComparison.OrdinalIgnoreCase)) : null;
        return assembly is not null ? FileName(assembly)[..^Assembly.Length] : first;
    }

    // Windows quotes a path with spaces.
    [GeneratedRegex("""\"[^\"]*\"|\S+""")]
    private static partial Regex Word();

    // The process may have run on another system than this one.
    private static string FileName(string path) => path[(path.LastIndexOfAny(['/', '\\']) + 1)..];
}
