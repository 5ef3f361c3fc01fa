using System.CommandLine;
using System.Globalization;

namespace Poolscope.Collect.Commands;

/// <summary>The verb `top`.</summary>
public static partial class CommandTree
{
    private const int MostSeconds = 1_000_000;

    private static Command Top(VerbActions actions, Dictionary<Command, string[]> examples)
    {
        var pid = ProcessId("The process to look at. It is left as it was found.");
        var name = new Option<string?>("--name", "-n") { Description = "The process to look at, by the name that `ps` shows.", HelpName = "name" };
        var seconds = new Option<int?>("--seconds")
        {
            Description = "End after so many seconds, 1 to 1000000. Default: at q, Ctrl-C, SIGTERM or the end of the process.",
            HelpName = "n",
            CustomParser = result => Parsed(result, text => int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var count) && count is >= 1 and <= MostSeconds ? count : (int?)null, "--seconds takes 1 to 1000000"),
        };
        var json = new Option<bool>("--json") { Description = "Print a line of JSON on stdout each second, with the keys of `watch --json`." };
        var command = new Command("top", "Show the thread pool of a process second by second, and record nothing: queue, threads, what the pool wants and why, CPU, items that ended. How long items wait is not known this way; `watch --live` knows. In a pipe, or where TERM is dumb, it prints a line each second.")
        {
            pid, name, seconds, json,
        };
        command.SetAction((parsed, _) => actions.Top(new TopOptions
        {
            ProcessId = parsed.GetValue(pid),
            Name = parsed.GetValue(name),
            Duration = parsed.GetValue(seconds) is { } given ? TimeSpan.FromSeconds(given) : null,
            Json = parsed.GetValue(json),
        }));
        examples[command] = ["poolscope-collect top -n app", "poolscope-collect top -p 4711 --seconds 60 --json"];
        return command;
    }
}
