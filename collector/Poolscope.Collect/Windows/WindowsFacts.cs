using System.Runtime.Versioning;
using System.Text.RegularExpressions;
using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Windows;

/// <summary>Collects the manifest's facts about the target of an EventPipe recording on Windows. Without /proc,
/// Poolscope requests the command line and the environment from the runtime itself.</summary>
internal static partial class WindowsFacts
{
    private static readonly TimeSpan AnswerTimeout = TimeSpan.FromSeconds(10);

    /// <param name="answer">The runtime's answer.</param>
    [SupportedOSPlatform("windows")]
    public static async Task<TargetInfo> ReadAsync(WindowsTarget target, RuntimeAnswer answer, bool launched)
    {
        var environment = await EnvironmentAsync(target.Pid).ConfigureAwait(false);
        return Combine(target.Describe(), answer, environment, target.ProgramPath) with
        {
            Launched = launched,
            ProcessStartNs = target.Age is { } age ? MonotonicClock.NowNs - (age.Ticks * TimeSpan.NanosecondsPerTick) : null,
        };
    }

    /// <param name="known">The facts from Windows.</param>
    /// <param name="program">The path of the process's program, or null if unknown.</param>
    internal static TargetInfo Combine(TargetInfo known, RuntimeAnswer answer, IReadOnlyDictionary<string, string> environment, string? program)
    {
        var command = Words(answer.Command);
        var isHost = Path.GetFileNameWithoutExtension(program ?? "").Equals("dotnet", StringComparison.OrdinalIgnoreCase);
        var managed = isHost ? command.Skip(1).FirstOrDefault(word => word.EndsWith(".dll", StringComparison.OrdinalIgnoreCase)) : program;

        // The folder in which the process was started is unknown, so a relative path leads nowhere.
        var path = managed is not null && Path.IsPathFullyQualified(managed) ? Path.ChangeExtension(managed, null) : null;
        var settings = new RuntimeSettings(environment, path is null ? null : RuntimeSettings.ConfigProperties(path + ".runtimeconfig.json"));
        var processors = TargetFacts.ProcessorCount(known.CpusAllowed, quota: null, settings.Variable("PROCESSOR_COUNT"));
        var (min, max) = TargetFacts.ThreadLimits(settings, processors);
        return known with
        {
            Name = managed is null ? known.Name : Path.GetFileNameWithoutExtension(managed),
            Command = command.Count > 0 ? command : known.Command,
            Runtime = $".NET {answer.Version}",
            ProcessorCount = processors,
            MinThreads = min,
            MaxThreads = max,
            Own = path is null ? null : OwnCode.In(Path.GetDirectoryName(path)!, Path.GetFileName(path)),
        };
    }

    /// <summary>Returns the words of a command line. Blanks divide them, except in quotes.</summary>
    internal static IReadOnlyList<string> Words(string line) => [.. Word().Matches(line).Select(word => word.Value.Replace("\"", "", StringComparison.Ordinal))];

    [GeneratedRegex("""(?:"[^"]*"?|[^\s"])+""")]
    private static partial Regex Word();

    /// <returns>The variables, with names that ignore case, as on Windows; none if the runtime does not
    /// answer.</returns>
    private static async Task<IReadOnlyDictionary<string, string>> EnvironmentAsync(int pid)
    {
        try
        {
            var variables = await Task.Run(() => new DiagnosticsClient(pid).GetProcessEnvironment()).WaitAsync(AnswerTimeout).ConfigureAwait(false);
            return new Dictionary<string, string>(variables, StringComparer.OrdinalIgnoreCase);
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e) || e is ArgumentException)
        {
            return new Dictionary<string, string>();
        }
    }
}
