namespace Poolscope.Collect.Errors;

/// <summary>Ends the command with one line for the person who typed it, never with a stack trace.</summary>
/// <param name="exitCode">One of <see cref="Errors.ExitCode"/>.</param>
/// <param name="message">What is wrong and what to do next, in one line.</param>
public sealed class CommandException(int exitCode, string message, Exception? inner = null) : Exception(message, inner)
{
    public int ExitCode { get; } = exitCode;

    /// <summary>The same where a command was to be recorded: codes below 125 are the command's own, but for a command line of
    /// this program that makes no sense.</summary>
    public CommandException WithCommand() => ExitCode switch
    {
        Errors.ExitCode.Usage or Errors.ExitCode.NotRunnable or Errors.ExitCode.NotFound => this,
        _ => OfStartedCommand(),
    };

    /// <summary>The same once the command runs: a code of usage would be taken for the command's own.</summary>
    public CommandException OfStartedCommand() =>
        ExitCode is Errors.ExitCode.Interrupted or Errors.ExitCode.CouldNot ? this : new CommandException(Errors.ExitCode.CouldNot, Message, this);
}
