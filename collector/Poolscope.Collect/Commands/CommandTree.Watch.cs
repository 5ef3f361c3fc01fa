using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Poolscope.Collect.Commands.Collecting;
using Poolscope.Collect.Commands.Watching;
using Poolscope.Collect.Metrics;
using Poolscope.Collect.Terminal;
using Poolscope.Collect.Watching;

namespace Poolscope.Collect.Commands;

/// <summary>The verb `watch`.</summary>
public static partial class CommandTree
{
    private static Command Watch(VerbActions actions, Dictionary<Command, string[]> examples)
    {
        var pid = ProcessId("The process to watch. It keeps running, unchanged; watching ends with it.");
        var name = new Option<string?>("--name", "-n") { Description = "The process to watch, by the name that `ps` shows. It need not run yet: `watch` waits for it, and for the next one after a restart.", HelpName = "name" };
        var when = new Option<WatchCondition?>("--when")
        {
            Description = $"Condition to wait for: wait>5s (a work item waits, or has waited), request>2s (a request is, or was, in the application this long), ready>50ms (a thread had no core this long), queue>1000, threads>=100, goal>=100; starvation (the pool adds threads because no item begins). A condition followed by `for 10s` must hold that long. Join conditions with `or`. Default: {WatchCondition.Default}.",
            HelpName = "condition",
            CustomParser = ParseCondition,
        };
        var before = Span("--before", "A capture begins at least this long before the cause of its firing: wait>5s fires after an item has waited 5 s, so the capture reaches back 5 s more, but at most twice as far. 1s to 1h. Default: 60s.");
        var after = Span("--after", "Recording goes on for this long afterwards; 1s to 1h. Default: 30s.");
        var keep = new Option<int?>("--keep")
        {
            Description = "Captures to keep, 1 to 1000; the oldest is deleted. Default: 5.",
            HelpName = "n",
            CustomParser = result => Parsed(result, text => int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var count) && count is >= 1 and <= 1000 ? count : (int?)null, "--keep takes 1 to 1000 captures"),
        };
        var output = new Option<string?>("--output", "-o") { Description = $"Folder for the captures and for the current recording. Default: {WatchOptions.DefaultOutput}.", HelpName = "folder" };
        var maxSize = new Option<long?>("--max-size")
        {
            Description = "Largest total size of that folder, such as 2GB; at least 40MB. A quarter is for the current recording, a quarter for the capture being written, and half for kept captures. Default: 4GB.",
            HelpName = "size",
            CustomParser = result => Parsed(result, text => ByteSize.Parse(text, 1) is >= WatchOptions.LeastMaxBytes and var bytes ? bytes : (long?)null, "--max-size takes a size of at least 40MB, such as 500MB or 4GB"),
        };
        var exec = new Option<string?>("--exec") { Description = "A program to run for each capture, with its folder as the only argument, without a shell. Default: none.", HelpName = "program" };
        var json = new Option<bool>("--json") { Description = "Print a line of JSON on stdout each second, and one for each firing and each capture." };
        var live = new Option<bool>("--live") { Description = "Show the pool, the watcher and the last minute on the terminal, each second; q ends it. In a pipe, or where TERM is dumb, it prints a line each second. Not together with --json." };
        var metrics = new Option<MetricsAddress?>("--metrics")
        {
            Description = "Serve metrics at http://ADDRESS:PORT/metrics, as OpenMetrics or Prometheus text. A port alone is served to this machine only (127.0.0.1). Name another of this machine's addresses, or 0.0.0.0, to serve them to other machines; they need no password. Default: serve none.",
            HelpName = "[address:]port",
            CustomParser = ParseMetrics,
        };
        var kernel = Kernel();
        var scope = new Option<KernelScope?>("--scope")
        {
            Description = "Tier tracepoint: target (switches and wake-ups of the process's own threads) or system (all processes; also shows who else used the cores; several times larger). Default: target.",
            HelpName = "target|system",
            CompletionSources = { "system", "target" },
            CustomParser = result => Parsed(result, ParseScope, "--scope is system or target"),
        };
        var snapshots = Snapshots("Mean time between two snapshots of all stacks while items begin in time, 50ms to 1h; a number alone is seconds, and 0 takes none. Default: 2s.");
        var labels = Labels();
        var noLook = new Option<bool>("--no-look") { Description = "Do not read the process's memory, for the limits of its pool and its queue, when the condition is met." };
        var noDecode = new Option<bool>("--no-decode") { Description = $"Skip decoding; run `{CommandName.Own} decode` later." };
        var command = new Command("watch", "Waits for a condition, such as items that wait too long, and leaves a capture of each incident and the minute before it. One of -p and -n says which process.")
        {
            pid, name, when, before, after, keep, output, maxSize, exec, json, live, metrics, kernel, scope, snapshots, noLook, labels, noDecode,
        };
        command.Validators.Add(result =>
        {
            if (result.GetValue(live) && result.GetValue(json))
            {
                result.AddError("--live and --json exclude each other: a view and lines of JSON cannot share stdout");
            }
        });
        command.SetAction((parsed, _) => actions.Watch(new WatchOptions
        {
            ProcessId = parsed.GetValue(pid),
            Name = parsed.GetValue(name),
            When = parsed.GetValue(when) ?? WatchCondition.Parse(WatchCondition.Default, out var _)!,
            Before = parsed.GetValue(before) ?? WatchOptions.DefaultBefore,
            After = parsed.GetValue(after) ?? WatchOptions.DefaultAfter,
            Keep = parsed.GetValue(keep) ?? WatchOptions.DefaultKeep,
            Output = parsed.GetValue(output) ?? WatchOptions.DefaultOutput,
            MaxBytes = parsed.GetValue(maxSize) ?? WatchOptions.DefaultMaxBytes,
            Exec = parsed.GetValue(exec),
            Json = parsed.GetValue(json),
            Live = parsed.GetValue(live),
            Metrics = parsed.GetValue(metrics),
            Kernel = parsed.GetValue(kernel),
            Scope = parsed.GetValue(scope) ?? KernelScope.Target,
            Snapshots = parsed.GetValue(snapshots) ?? WatchOptions.DefaultSnapshots,
            Look = !parsed.GetValue(noLook),
            Labels = CaptureLabels.Of(parsed.GetValue(labels)),
            Decode = !parsed.GetValue(noDecode),
        }));
        examples[command] =
        [
            $"{CommandName.Own} watch -n app -o incidents",
            $"{CommandName.Own} watch -n app --when starvation --before 2m --keep 10 --json",
            $"{CommandName.Own} watch -p 4711 --max-size 1GB --kernel none",
            $"{CommandName.Own} watch -n app --live --metrics 9464",
        ];
        return command;
    }

    private static Option<TimeSpan?> Span(string name, string description) => new(name)
    {
        Description = description,
        HelpName = "time",
        CustomParser = result => Parsed(result, ParseSpan, $"{name} takes 1s to 1h with its unit, such as 90s or 5m"),
    };

    private static TimeSpan? ParseSpan(string text) =>
        Duration.ParseSpan(text) is { TotalSeconds: >= 1 and <= 3600 } span ? span : null;

    private static MetricsAddress? ParseMetrics(ArgumentResult result)
    {
        var address = MetricsAddress.Parse(result.Tokens[0].Value);
        if (address is null)
        {
            result.AddError($"--metrics takes a port, or an address of this machine and a port, such as 9464 or 127.0.0.1:9464, not {result.Tokens[0].Value.ReplaceLineEndings(" ")}");
        }

        return address;
    }

    private static WatchCondition? ParseCondition(ArgumentResult result)
    {
        var condition = WatchCondition.Parse(result.Tokens[0].Value, out var complaint);
        if (complaint is not null)
        {
            result.AddError(complaint.ReplaceLineEndings(" "));
        }

        return condition;
    }
}
