using Poolscope.Decode.Import;

namespace Poolscope.Collect.Commands.Recipes;

/// <summary>The recipe for dotnet-trace, which records the runtime's events on any system, without privilege. Tested
/// with version 10.0.750501.</summary>
internal static class DotnetTraceRecipe
{
    private const string Output = "trace.nettrace";

    public static string Text(int? processId, TimeSpan duration) => $"""
        Recording slow work items with dotnet-trace (Linux, Windows, macOS; .NET 8 and newer)

        1. If dotnet-trace is not installed: dotnet tool install --global dotnet-trace
        2. While the program is slow, run this line as the program's user{(processId is null ? ", with its process id for PID" : "")}. Enter ends it earlier.

        {DotnetTraceCommand.Line(processId, duration, Output)}

           To record a program from its first instruction, leave out -p and --duration, and end the line with: -- COMMAND
        3. Send back {Output}.
        4. On any machine with Poolscope:

        poolscope report {Output}

        What it records
          Microsoft-Windows-DotNETRuntime   the pool's threads and goal, waits (.NET 9 and newer) and locks with stacks, collections
          ...FrameworkEventSource           the work items: when each was queued and taken
          ...TplEventSource                 tasks, and the ids that show where a request ends
          AspNetCore, System.Net.Http       requests of ASP.NET Core and calls through HttpClient: begin, end and path of each

        What it does not record
          The kernel's part: whether a thread ran, waited for a core or was blocked. If that matters, the verdict is "cannot tell". On Linux, as root, record it too: poolscope recipe perf

        What it costs
          Each work item is recorded with two stacks: some microseconds each. Take care above 100,000 items/s.

        What is in the file
          The command line of the process, paths of its modules, names of its methods; method and path of requests, host and path
          of calls (with .NET 8 a call's query too). No headers, no bodies, no memory.

        """.ReplaceLineEndings(Environment.NewLine);
}
