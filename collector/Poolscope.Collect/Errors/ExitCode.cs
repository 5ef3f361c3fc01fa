namespace Poolscope.Collect.Errors;

/// <summary>Exit codes: those of `poolscope`, by the same names (docs/exit-codes.md). With a launched command that ended by
/// itself, its own exit code takes the place of <see cref="Ok"/>.</summary>
public static class ExitCode
{
    public const int Ok = 0;

    /// <summary>The command line makes no sense, or an output cannot be written.</summary>
    public const int Usage = 2;

    /// <summary>The process cannot be recorded, or the input cannot be read, here or at all.</summary>
    public const int Unreadable = 3;

    /// <summary>A fault of this program.</summary>
    public const int Internal = 5;

    /// <summary>Only with a command, as of `env` and `timeout`, for the other codes are the command's: nothing was recorded, or
    /// recording failed.</summary>
    public const int CouldNot = 125;

    /// <summary>Only with a command: it is there and cannot be run.</summary>
    public const int NotRunnable = 126;

    /// <summary>Only with a command: there is no such program.</summary>
    public const int NotFound = 127;

    /// <summary>Ctrl-C if it is no planned end of a recording: 128 and the number of the signal.</summary>
    public const int Interrupted = 130;
}
