using System.Runtime.InteropServices;
using Poolscope.Collect.Commands;

namespace Poolscope.Collect.Processes;

/// <summary>How many files this process may have open. The runtime does not bear to run out of them: it aborts.</summary>
internal static unsafe partial class OpenFileLimit
{
    private const int NumberOfFiles = 7; // RLIMIT_NOFILE

    /// <summary>For the runtime itself, sockets and files of a recording.</summary>
    private const int Fixed = 80;

    /// <summary>Of a CPU: the scheduler's events, and some more while they are tried.</summary>
    private const int PerCpu = 10;

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

    /// <param name="limit">Files that may be open.</param>
    internal static void Require(ulong limit)
    {
        if (limit < (ulong)Needed)
        {
            throw new CommandException(
                ExitCode.SessionCreation, $"this shell allows {limit} open files, and a recording needs {Needed}: raise the limit (ulimit -n {Needed})");
        }
    }

    [LibraryImport("libc", EntryPoint = "getrlimit")]
    private static partial int Get(int resource, ulong* limits);
}
