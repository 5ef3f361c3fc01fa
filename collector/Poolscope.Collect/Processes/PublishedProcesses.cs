using System.Diagnostics;
using Microsoft.Diagnostics.NETCore.Client;

namespace Poolscope.Collect.Processes;

/// <summary>Lists .NET processes on systems without /proc, by their diagnostic ports. .NET Framework has none, so its
/// processes are not listed.</summary>
internal static class PublishedProcesses
{
    private static readonly TimeSpan AnswerTimeout = TimeSpan.FromSeconds(1);

    /// <summary>Returns the processes by pid, except this one.</summary>
    public static async Task<IReadOnlyList<DotnetProcess>> ListAsync()
    {
        var others = DiagnosticsClient.GetPublishedProcesses().Where(pid => pid != Environment.ProcessId).Order();
        return [.. (await Task.WhenAll(others.Select(DescribeAsync)).ConfigureAwait(false)).OfType<DotnetProcess>()];
    }

    private static async Task<DotnetProcess?> DescribeAsync(int pid)
    {
        try
        {
            using var process = Process.GetProcessById(pid);
            var name = process.ProcessName;
            var answer = await DiagnosticIpc.AskByPipeAsync(pid, AnswerTimeout).ConfigureAwait(false);
            return new DotnetProcess(pid, name, answer?.Command ?? name, answer is null ? null : $".NET {answer.Version}");
        }
        catch (Exception e) when (e is ArgumentException or InvalidOperationException)
        {
            return null; // the process has ended
        }
    }
}
