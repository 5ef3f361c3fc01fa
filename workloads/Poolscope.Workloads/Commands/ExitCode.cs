namespace Poolscope.Workloads.Commands;

/// <summary>Exit codes of the command.</summary>
public static class ExitCode
{
    public const int Ok = 0;

    /// <summary>The run started but failed: the pool refused its limits, items failed, or the truth could not be
    /// written.</summary>
    public const int Failed = 1;

    /// <summary>The command line is wrong; nothing ran.</summary>
    public const int Usage = 2;
}

/// <summary>Ends the command with a one-line message and an <see cref="Commands.ExitCode"/>.</summary>
public sealed class CommandException(int exitCode, string message) : Exception(message)
{
    public int ExitCode { get; } = exitCode;
}
