namespace Poolscope.Decode.Import;

/// <summary>Advises a recorder for the system that a trace comes from.</summary>
internal static class RecordingAdvice
{
    private const string OnLinux = "Record perf beside it: poolscope recipe perf";
    private const string OnWindows = "Record with PerfView instead: poolscope recipe perfview";

    /// <summary>Returns how to record the kernel's events.</summary>
    /// <param name="os">The system's name in the runtime's words; empty if the file does not report it.</param>
    public static string ForKernel(string os) => os switch
    {
        "Linux" => OnLinux,
        "Windows" => OnWindows,
        "macOS" => "Poolscope reads no kernel events of macOS; reproduce it on Linux, and record perf beside it: poolscope recipe perf",
        _ => $"On Linux: {Lower(OnLinux)}; on Windows: {Lower(OnWindows)}",
    };

    /// <summary>Returns how to record the process's configuration.</summary>
    public static string ForConfiguration(string os) => os == "Linux"
        ? "Record with Poolscope: poolscope collect -p PID"
        : "Log Environment.ProcessorCount, ThreadPool.GetMinThreads and ThreadPool.GetMaxThreads in the process";

    private static string Lower(string sentence) => char.ToLowerInvariant(sentence[0]) + sentence[1..];
}
