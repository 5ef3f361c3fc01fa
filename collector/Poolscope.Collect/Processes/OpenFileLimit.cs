using System.Runtime.InteropServices;
using Poolscope.Collect.Errors;

namespace Poolscope.Collect.Processes;

/// <summary>The number of files that this process may have open. The runtime aborts if it runs out of them.</summary>
internal static unsafe partial class OpenFileLimit
{
    private const int NumberOfFiles = 7; // RLIMIT_NOFILE

    /// <summary>The files for the runtime, its assemblies, and sockets and files of a recording; 117 were
    /// measured.</summary>
    private const int Fixed = 160;

    /// <summary>The files for each CPU: the scheduler's events, and some more while they are tried.</summary>
    private const int PerCpu = 10;

    /// <summary>The fewest files with which the runtime can write a line. With 32 it cannot load the code for that and
    /// aborts; 64 are enough.</summary>
    private const int LeastToSpeak = 64;

    private const int StandardError = 2;

    public static int Needed => Fixed + (PerCpu * Environment.ProcessorCount);

    /// <exception cref="CommandException">Fewer files may be open than a recording needs.</exception>
    public static void Require()
    {
        var limits = stackalloc ulong[2]; // struct rlimit: the soft limit, which the runtime has raised, and the hard one
        if (Get(NumberOfFiles, limits) == 0)
        {
            Require(limits[0]);
        }
    }

    /// <summary>Writes one line if the limit is too low for any command. It loads nothing, and must be called before
    /// anything else.</summary>
    /// <returns>Whether the program must end.</returns>
    public static bool IsTooLowToSpeak()
    {
        var limits = stackalloc ulong[2];
        if (Get(NumberOfFiles, limits) != 0 || limits[0] >= LeastToSpeak)
        {
            return false;
        }

        var line = "error: this shell allows fewer than 64 open files, too few for any command: raise the limit (ulimit -n 1024)\n"u8;
        fixed (byte* text = line)
        {
            _ = Write(StandardError, text, (nuint)line.Length);
        }

        return true;
    }

    /// <param name="limit">The number of files that may be open.</param>
    internal static void Require(ulong limit)
    {
        if (limit < (ulong)Needed)
        {
            throw new CommandException(
                ExitCode.Unreadable, $"this shell allows {limit} open files, and a recording needs {Needed}: raise the limit (ulimit -n {Needed})");
        }
    }

    [LibraryImport("libc", EntryPoint = "getrlimit")]
    private static partial int Get(int resource, ulong* limits);

    [LibraryImport("libc", EntryPoint = "write")]
    private static partial nint Write(int file, byte* bytes, nuint count);
}
