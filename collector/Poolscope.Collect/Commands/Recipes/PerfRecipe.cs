using System.Globalization;
using Poolscope.Decode.Import;
using Poolscope.PerfEvents.Script;

namespace Poolscope.Collect.Commands.Recipes;

/// <summary>The recipe for perf, which records what the kernel does with threads. perf starts dotnet-trace, which
/// records what the runtime does. Tested with perf 6.1.</summary>
internal static class PerfRecipe
{
    private const string Kernel = "sched.perf.data";
    private const string Runtime = "trace.nettrace";

    /// <summary>The samples per second and CPU: a prime, to stay out of step with timers of whole
    /// milliseconds.</summary>
    private const int Frequency = 997;

    /// <summary>The event buffer of each CPU, in MB. Some thousand switches at once fill perf's default of 512
    /// kB.</summary>
    private const int BufferMb = 4;

    private static readonly string[] Tracepoints = ["sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new", "sched_process_exit"];

    /// <summary>Returns the command on one line. perf ends with dotnet-trace, so it covers all of its
    /// recording.</summary>
    public static string CommandLine(int? processId, TimeSpan duration) => string.Create(
        CultureInfo.InvariantCulture,
        $"perf record -a -k CLOCK_MONOTONIC -m {BufferMb}M --switch-events {string.Join(' ', Tracepoints.Select(name => $"-e sched:{name}"))} -e cpu-clock/freq={Frequency},call-graph=fp/ -o {Kernel} -- {DotnetTraceCommand.Line(processId, duration, Runtime)}");

    public static string Text(int? processId, TimeSpan duration) => $"""
        Recording slow work items with perf and dotnet-trace (Linux; .NET 8 and newer)

        1. If they are not installed: perf is in the package linux-perf (Debian), linux-tools-generic (Ubuntu) or perf (Fedora,
           Red Hat); dotnet tool install --tool-path /usr/local/bin dotnet-trace
        2. While the program is slow, run this line as root{(processId is null ? ", with the process's id for PID" : "")}, in a folder with room for 10 MB a second.

        {CommandLine(processId, duration)}

           In a container: run both inside of it, or both outside of it, so that they give threads the same ids.
        3. Send back {Runtime} and {Kernel}. If only text may leave the machine, send the output of this line instead of {Kernel}:

        {PerfScript.CommandFor(Kernel)}

        4. On any machine with Poolscope:

        poolscope report {Runtime} --scheduler {Kernel}

        What it records
          sched_switch, sched_waking, ...   when each thread ran, was ready or was blocked, and who woke it, of all processes
          cpu-clock                         {Frequency} samples a second and CPU, with the stack: which code used the CPU
          dotnet-trace                      the runtime's events: poolscope recipe dotnet-trace says which

        What the options do
          -a                    all processes: the record of a switch to a thread belongs to the thread that it replaces
          -k CLOCK_MONOTONIC    the clock of the runtime's events; without it the two files cannot be joined
          --switch-events       the kernel's second account of each switch: on some kernels the first one leaves out old threads
          -m {BufferMb}M                 room for bursts, of each CPU; if events are lost all the same, the report says so

        What it costs
          About a microsecond a switch, and what dotnet-trace costs.

        What is in the files
          perf: names of all processes and threads, paths of their modules. dotnet-trace: see its recipe.

        """.ReplaceLineEndings(Environment.NewLine);
}
