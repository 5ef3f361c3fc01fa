namespace Poolscope.Collect.Commands;

/// <summary>Ends the command with one line for the person who typed it, never with a stack trace.</summary>
/// <param name="exitCode">One of <see cref="Commands.ExitCode"/>.</param>
/// <param name="message">What is wrong and what to do next, in one line.</param>
public sealed class CommandException(int exitCode, string message, Exception? inner = null) : Exception(message, inner)
{
    public int ExitCode { get; } = exitCode;
}
