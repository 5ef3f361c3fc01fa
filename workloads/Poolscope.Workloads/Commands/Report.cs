using Poolscope.Workloads.Truth;

namespace Poolscope.Workloads.Commands;

/// <summary>The description and the measurements of a run. Its JSON consists of the properties of its type.</summary>
internal interface IReport
{
    /// <summary>Writes the report for people.</summary>
    void Write(TextWriter output);
}

/// <summary>Publishes reports.</summary>
internal static class Report
{
    // Beside truth.npz, for readers of the capture.
    private const string CaptureFile = "workload.json";

    /// <summary>Writes a report into the capture's folder, if there is one, and to the output.</summary>
    /// <exception cref="IOException">The report cannot be written into the capture's folder.</exception>
    internal static void Publish<T>(T report, bool json, TextWriter output)
        where T : IReport
    {
        if (Environment.GetEnvironmentVariable(TruthFile.CaptureVariable) is { Length: > 0 } folder)
        {
            using var file = File.CreateText(Path.Combine(folder, CaptureFile));
            Json.Write(file, report);
        }

        if (json)
        {
            Json.Write(output, report);
        }
        else
        {
            report.Write(output);
        }
    }
}
