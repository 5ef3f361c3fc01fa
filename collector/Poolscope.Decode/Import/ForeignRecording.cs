using System.Text.RegularExpressions;
using Poolscope.PerfEvents;

namespace Poolscope.Decode.Import;

/// <summary>What other tools recorded of one process, looked at and not copied yet.</summary>
public sealed partial class ForeignRecording
{
    private const string Assembly = ".dll";

    internal ForeignRecording(string trace, TraceContents contents, string? scheduler, PerfRecording? perf, ClockEvidence? evidence = null) =>
        (Trace, Contents, Scheduler, Perf, Evidence) = (trace, contents, scheduler, perf, evidence);

    /// <summary>Path of the .nettrace file.</summary>
    public string Trace { get; }

    /// <summary>Path of the perf.data file, or of the text of `perf script`; null: none.</summary>
    public string? Scheduler { get; }

    /// <summary>The process, as its runtime knew it: inside a container another one than outside.</summary>
    public int ProcessId => Contents.Header.ProcessId;

    /// <summary>The program's name, without its folder and without `dotnet` before it; process-PID where the file does not show.</summary>
    public string Name => NameIn(Contents.CommandLine) is { Length: > 0 } name ? name : Contents.ProcessName.Length > 0 ? Contents.ProcessName : $"process-{ProcessId}";

    /// <summary>The .nettrace file ends as its writer meant it to.</summary>
    public bool IsWhole => Contents.IsWhole;

    /// <summary>What proves that the text of `perf script` has the trace's clock and threads, for a person; null: there is none, or
    /// it says so itself.</summary>
    public string? ProofOfClock => Evidence is { IsProven: true } evidence ? evidence.Text : null;

    internal TraceContents Contents { get; }

    /// <summary>The kernel's events in the .nettrace file itself; null: it has none that tell when threads ran.</summary>
    internal KernelEvents? Kernel => Contents.Survey?.Kernel is { Missing: null } kernel ? kernel : null;

    internal PerfRecording? Perf { get; }

    /// <summary>Null: the perf.data file proves by itself that it goes with the trace.</summary>
    internal ClockEvidence? Evidence { get; }

    /// <returns>Empty: the command line is.</returns>
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
