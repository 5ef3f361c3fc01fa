using Poolscope.Look.Judging;

namespace Poolscope.Look.Telling;

/// <summary>Advises what to do after a look.</summary>
public static class LookNext
{
    /// <param name="pid">Null for a dump, whose process may be gone.</param>
    public static string Of(LookVerdict verdict, int? pid)
    {
        var record = pid is { } id ? $"poolscope record -p {id} --duration 30s" : "poolscope record -p PID --duration 30s";
        return verdict.Id == LookVerdict.Healthy
            ? $"Next: if items do start late at times, wait for it: poolscope watch -p {pid?.ToString(System.Globalization.CultureInfo.InvariantCulture) ?? "PID"}"
            : $"Next: record how long items wait, and why: {record}";
    }
}
