using System.CommandLine;
using System.Globalization;
using Poolscope.Collect.Commands.Watching;
using Poolscope.Collect.Terminal;

namespace Poolscope.Collect.Commands;

/// <summary>The verb `top`.</summary>
public static partial class CommandTree
{
    private const int MostSeconds = 1_000_000;

    private static Command Top(VerbActions actions, Dictionary<Command, string[]> examples)
    {
        var pid = ProcessId("The process to look at. It keeps running, unchanged.");
        var name = new Option<string?>("--name", "-n") { Description = "The process to look at, by the name that `ps` shows.", HelpName = "name" };
        var duration = new Option<TimeSpan?>("--duration")
        {
            Description = "How long to look, such as 30s, 5m, 1h30m or 300 (seconds). Default: until q, Ctrl-C, SIGTERM or the end of the process.",
            HelpName = "time",
            CustomParser = ParseLength,
        };

        // The name of --duration in 0.1.
        var seconds = new Option<int?>("--seconds")
        {
            Hidden = true,
            CustomParser = result => Parsed(result, text => int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var count) && count is >= 1 and <= MostSeconds ? count : (int?)null, "--seconds takes 1 to 1000000"),
        };
        var json = new Option<bool>("--json") { Description = "Print a line of JSON on stdout each second, with the keys of `watch --json`." };
        var command = new Command("top", "Shows the thread pool of a process second by second, without recording. Queue, threads, the goal of the pool and its reason, CPU, items that ended. It does not show how long items wait; `watch --live` does. In a pipe, or where TERM is dumb, it prints a line each second.")
        {
            pid, name, duration, seconds, json,
        };
        command.SetAction((parsed, _) =>
        {
            var old = parsed.GetValue(seconds);
            if (old is not null)
            {
                parsed.InvocationConfiguration.Error.WriteLine($"warning: --seconds is now --duration, and the next release removes it: --duration {old}s");
            }

            return actions.Top(new TopOptions
            {
                ProcessId = parsed.GetValue(pid),
                Name = parsed.GetValue(name),
                Duration = parsed.GetValue(duration) ?? (old is { } given ? TimeSpan.FromSeconds(given) : null),
                Json = parsed.GetValue(json),
            });
        });
        examples[command] = [$"{CommandName.Own} top -n app", $"{CommandName.Own} top -p 4711 --duration 1m --json"];
        return command;
    }
}
