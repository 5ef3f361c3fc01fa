using System.Globalization;
using Poolscope.Etw.Capture;

namespace Poolscope.Collect.Commands.Recipes;

/// <summary>The recipe for PerfView, which records all that Poolscope needs, is one file, and installs nothing. The
/// options follow its source (version 3.2.5).</summary>
internal static class PerfViewRecipe
{
    /// <summary>The largest file that `collect` writes, in MB; it then overwrites its oldest events. There, 0 means 500
    /// and not unlimited.</summary>
    private const int CircularMb = 4000;

    /// <summary>The event buffer in the kernel, in MB.</summary>
    private const int BufferMb = 256;

    // A provider is written as NAME:KEYWORDS:LEVEL. A star before the name marks an EventSource.
    private const string AllKeywords = "0xFFFFFFFFFFFFFFFF";
    private const int Informational = 4;

    /// <summary>Returns the command on one line, for cmd and PowerShell alike.</summary>
    public static string CommandLine(int? processId, TimeSpan duration) => string.Join(' ', Arguments(processId, duration));

    public static string Text(int? processId, TimeSpan duration)
    {
        var seconds = Seconds(duration);
        return $"""
            Recording slow work items with PerfView (Windows, .NET and .NET Framework)

            1. Take PerfView.exe from https://github.com/microsoft/perfview/releases. It is one file and installs nothing.
            2. Open a command prompt as administrator (ETW's kernel events need it), in a folder on a disk with
               {CircularMb * 2 / 1000} GB free.
            3. While the program is slow, run this line. It ends by itself after {seconds} s; S ends it earlier.

            {CommandLine(processId, duration)}

            4. Wait until it has merged and zipped: minutes, not seconds, on a large server.
            5. Send back tp.etl.zip, and tp.log if anything looked wrong.
            6. On any machine with Poolscope, Linux too:

            poolscope decode tp.etl.zip{(processId is { } pid ? $" -p {pid}" : "")}
            poolscope report tp.poolscope

            What it records
              /ThreadTime          context switches, wake-ups, CPU samples, with stacks, of all processes; TCP connections
                                   and how many bytes went over them (the kernel's flag NetworkTCPIP is part of it)
              /ClrEvents, Verbose  the pool's threads and goal, waits and locks (WaitHandle: .NET 9 and newer), collections;
                                   with them FrameworkEventSource, which PerfView turns on by itself: the work items
              /TplEvents           tasks, and the ids that show where a request ends (TasksFlowActivityIds)
              /Providers           requests of ASP.NET Core and calls through HttpClient: begin, end and path of each
              {(processId is null
                ? "No /FocusProcess    of every .NET process; decode takes the one with the most work items, or -p PID, -n NAME"
                : "/FocusProcess        runtime events of this process only")}
              /CircularMB          at most {CircularMb} MB; if more comes, the oldest events are overwritten: then record for a shorter time
              /BufferSizeMB        room for bursts; if events are lost all the same, the report says so

            What it costs
              Each work item is recorded with a stack: some microseconds each. Take care above 100,000 items/s.

            What is in the file
              Names and command lines of all processes, paths of their modules, names of methods, and the messages of
              exceptions that were thrown; addresses of TCP connections; method and path of requests, host and path of
              calls (with .NET 8 a call's query too). No headers, no bodies, no memory.

            If it was interrupted
              PerfView.exe /AcceptEULA /NoGui abort     ends the sessions that it left behind

            """.ReplaceLineEndings(Environment.NewLine);
    }

    private static string[] Arguments(int? processId, TimeSpan duration) =>
    [
        "PerfView.exe", "/AcceptEULA", "/NoGui", "/LogFile:tp.log", "/DataFile:tp.etl", "/ThreadTime",
        $"/BufferSizeMB:{BufferMb}", $"/CircularMB:{CircularMb}",
        Quoted("/ClrEvents:Default,WaitHandle"), "/ClrEventLevel:Verbose", "/TplEvents:Default",
        Quoted($"/Providers:{string.Join(',', EtwPlan.RequestProviders.Select(name => $"*{name}:{AllKeywords}:{Informational}"))}"),
        .. processId is { } pid ? [$"/FocusProcess:{pid}"] : Array.Empty<string>(),
        $"/MaxCollectSec:{Seconds(duration)}", "/Merge:true", "/Zip:true", "collect",
    ];

    /// <summary>Quotes an argument, because PowerShell splits it at commas.</summary>
    private static string Quoted(string argument) => $"\"{argument}\"";

    /// <summary>Returns whole seconds, rounded up, at least one.</summary>
    private static string Seconds(TimeSpan duration) =>
        Math.Max(1, (long)Math.Ceiling(duration.TotalSeconds)).ToString(CultureInfo.InvariantCulture);
}
