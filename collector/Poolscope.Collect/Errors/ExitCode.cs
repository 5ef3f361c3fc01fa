namespace Poolscope.Collect.Errors;

/// <summary>The exit codes, with the names that `poolscope` uses (docs/exit-codes.md). If a launched command ends by
/// itself, its own exit code replaces <see cref="Ok"/>.</summary>
public static class ExitCode
{
    public const int Ok = 0;

    /// <summary>The command line is invalid, or an output cannot be written.</summary>
    public const int Usage = 2;

    /// <summary>The process cannot be recorded, or the input cannot be read, here or at all.</summary>
    public const int Unreadable = 3;

    /// <summary>An internal error of this program.</summary>
    public const int Internal = 5;

    /// <summary>Nothing was recorded, or recording failed. Only with a command, as in `env` and `timeout`, because the
    /// other codes belong to the command.</summary>
    public const int CouldNot = 125;

    /// <summary>Only with a command: the program exists and cannot be run.</summary>
    public const int NotRunnable = 126;

    /// <summary>Only with a command: the program does not exist.</summary>
    public const int NotFound = 127;

    /// <summary>Ctrl-C that is not the planned end of a recording: 128 plus the number of the signal.</summary>
    public const int Interrupted = 130;
}
