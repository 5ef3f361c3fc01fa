using System.Diagnostics.CodeAnalysis;
using Poolscope.QueueCensus;

/// <summary>What the runtime runs before a program that has this assembly in DOTNET_STARTUP_HOOKS.</summary>
[SuppressMessage("Design", "CA1050", Justification = "The runtime looks for it outside of any namespace.")]
internal static class StartupHook
{
    /// <summary>Begins to count, unless nobody said where to.</summary>
    public static void Initialize()
    {
        if (Environment.GetEnvironmentVariable("POOLSCOPE_CENSUS") is { Length: > 0 } file)
        {
            new Thread(() => Census.Run(file)) { IsBackground = true, Name = "queue census" }.Start();
        }
    }
}
