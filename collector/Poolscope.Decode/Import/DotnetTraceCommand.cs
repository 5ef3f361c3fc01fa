using System.Globalization;
using Poolscope.Etw.Capture;
using static Poolscope.Etw.Capture.RuntimeEvents;

namespace Poolscope.Decode.Import;

/// <summary>The command line with which dotnet-trace records the events that the tables are made from.</summary>
public static class DotnetTraceCommand
{
    private const int Informational = 4;
    private const int Verbose = 5;

    /// <summary>The value of --providers: NAME:KEYWORDS:LEVEL, separated by commas. The runtime's own provider is
    /// Verbose for waits and for hill climbing's statistics.</summary>
    public static string Providers { get; } = string.Join(
        ',',
        new[]
        {
            Provider(Clr, Gc | Contention | Threading | ThreadTransfer | WaitHandles, Verbose),
            Provider(Framework, FrameworkKeywords, Verbose),
            Provider(Tpl, TplKeywords | ActivityFlow, Informational),
        }.Concat(EtwPlan.RequestProviders.Select(name => Provider(name, AnyKeyword, Informational))));

    /// <summary>Returns the command as one line, for every shell.</summary>
    /// <param name="processId">The process id; null for a placeholder.</param>
    /// <param name="duration">The duration of the recording, rounded up to whole seconds, which dotnet-trace requires;
    /// at least one.</param>
    /// <param name="output">The name of the output file.</param>
    public static string Line(int? processId, TimeSpan duration, string output = "trace.nettrace") => string.Create(
        CultureInfo.InvariantCulture,
        $"dotnet-trace collect -p {processId?.ToString(CultureInfo.InvariantCulture) ?? "PID"} --duration {Whole(duration):dd\\:hh\\:mm\\:ss} --providers {Providers} -o {output}");

    private static TimeSpan Whole(TimeSpan duration) => TimeSpan.FromSeconds(Math.Max(1, Math.Ceiling(duration.TotalSeconds)));

    private static string Provider(string name, long keywords, int level) => $"{name}:0x{keywords:X}:{level}";
}
