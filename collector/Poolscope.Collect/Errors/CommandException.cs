namespace Poolscope.Collect.Errors;

/// <summary>Ends the command with one line for the user, never with a stack trace.</summary>
/// <param name="exitCode">One of <see cref="Errors.ExitCode"/>.</param>
/// <param name="message">The error and the next step, in one line.</param>
public sealed class CommandException(int exitCode, string message, Exception? inner = null) : Exception(message, inner)
{
    public int ExitCode { get; } = exitCode;

    /// <summary>Returns the error with an exit code for a run that launches a command. Codes below 125 then belong to
    /// the command, except the one for an invalid command line of this program.</summary>
    public CommandException WithCommand() => ExitCode switch
    {
        Errors.ExitCode.Usage or Errors.ExitCode.NotRunnable or Errors.ExitCode.NotFound => this,
        _ => OfStartedCommand(),
    };

    /// <summary>Returns the same for a running command. A usage code would look like the command's own.</summary>
    public CommandException OfStartedCommand() =>
        ExitCode is Errors.ExitCode.Interrupted or Errors.ExitCode.CouldNot ? this : new CommandException(Errors.ExitCode.CouldNot, Message, this);
}
