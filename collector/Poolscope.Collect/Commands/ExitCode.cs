namespace Poolscope.Collect.Commands;

/// <summary>Exit codes, the same as those of dotnet-trace. With a launched command that ended by itself, its own exit
/// code takes the place of <see cref="Ok"/>.</summary>
public static class ExitCode
{
    public const int Ok = 0;

    /// <summary>The session could not be opened: no permission, no answer, diagnostics turned off.</summary>
    public const int SessionCreation = 1;

    /// <summary>Something failed while recording or decoding.</summary>
    public const int Tracing = 2;

    /// <summary>The command line asks for something that cannot be.</summary>
    public const int Argument = 3;

    /// <summary>Not on this operating system.</summary>
    public const int Platform = 4;

    /// <summary>A fault of this program.</summary>
    public const int Unknown = 5;
}
