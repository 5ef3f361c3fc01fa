using System.Diagnostics.CodeAnalysis;
using Poolscope.QueueCensus;

/// <summary>The hook that the runtime runs before a program with this assembly in DOTNET_STARTUP_HOOKS.</summary>
[SuppressMessage("Design", "CA1050", Justification = "The runtime looks for it outside of any namespace.")]
internal static class StartupHook
{
    /// <summary>Begins to count if POOLSCOPE_CENSUS names the output file.</summary>
    public static void Initialize()
    {
        if (Environment.GetEnvironmentVariable("POOLSCOPE_CENSUS") is { Length: > 0 } file)
        {
            new Thread(() => Census.Run(file)) { IsBackground = true, Name = "queue census" }.Start();
        }
    }
}
