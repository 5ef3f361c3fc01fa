using Poolscope.Workloads.Truth;

namespace Poolscope.Workloads.Commands;

/// <summary>What a run was and measured. As JSON it is the properties of its type.</summary>
internal interface IReport
{
    /// <summary>The same for people.</summary>
    void Write(TextWriter output);
}

/// <summary>Where reports go.</summary>
internal static class Report
{
    // Beside truth.npz, for anyone who reads the capture.
    private const string CaptureFile = "workload.json";

    /// <summary>Into the capture's folder, if there is one, and to the output.</summary>
    /// <exception cref="IOException">The capture's folder does not take it.</exception>
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
