using Xunit;

namespace Poolscope.Etl.Tests;

/// <summary>Files of real Windows machines. They are not in the repository: microsoft/perfview has them, with the
/// counts of their events (src/TraceEvent/TraceEvent.Tests/inputs).</summary>
internal static class SampleFiles
{
    public const string Variable = "POOLSCOPE_ETL_FILES";

    /// <summary>Returns the path of a file; skips the test if it is absent.</summary>
    public static string Require(string name)
    {
        var folder = Environment.GetEnvironmentVariable(Variable);
        Assert.SkipWhen(string.IsNullOrEmpty(folder), $"{Variable} does not name a folder with ETW files");
        var path = Path.Combine(folder!, name);
        Assert.SkipWhen(!File.Exists(path), $"{Variable} has no {name}");
        return path;
    }
}
