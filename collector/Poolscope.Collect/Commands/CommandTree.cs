using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Parsing;
using Poolscope.Collect.Commands.Collecting;
using Poolscope.Collect.Commands.Decoding;
using Poolscope.Collect.Commands.Doctor;
using Poolscope.Collect.Commands.Looking;
using Poolscope.Collect.Commands.Recipes;
using Poolscope.Collect.Commands.Watching;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Terminal;

namespace Poolscope.Collect.Commands;

/// <summary>The action of each verb, called with its parsed options. Tests replace them.</summary>
public sealed record VerbActions(
    Func<PsOptions, Task<int>> Ps,
    Func<DoctorOptions, Task<int>> Doctor,
    Func<CollectOptions, Task<int>> Collect,
    Func<DecodeOptions, Task<int>> Decode)
{
    public Func<RecipeOptions, Task<int>> Recipe { get; init; } = _ => Task.FromResult(ExitCode.Ok);

    public Func<TopOptions, Task<int>> Top { get; init; } = _ => Task.FromResult(ExitCode.Ok);

    public Func<LookOptions, Task<int>> Look { get; init; } = _ => Task.FromResult(ExitCode.Ok);

    public Func<WatchOptions, Task<int>> Watch { get; init; } = _ => Task.FromResult(ExitCode.Ok);
}

/// <summary>The command line: the verbs, their options, and the values each option accepts. Options that dotnet-trace
/// also has keep its names.</summary>
public static partial class CommandTree
{
    private const string ExitCodes =
        "Exit codes: 0 ok, 2 usage, 3 the process cannot be recorded or the input not read, 5 internal error; "
        + "with -- COMMAND the command's own, 125 recording failed, 126 the command cannot be run, 127 there is no such command; 130 interrupted.";

    public static RootCommand Build(VerbActions actions)
    {
        var examples = new Dictionary<Command, string[]>();
        var root = new RootCommand("Captures why .NET thread-pool work items start late: the runtime's events and the kernel's scheduler, on one clock. " + ExitCodes)
        {
            Ps(actions, examples),
            Doctor(actions, examples),
            Look(actions, examples),
            Top(actions, examples),
            Collect(actions, examples),
            Watch(actions, examples),
            Recipe(actions, examples),
            Decode(actions, examples),
        };
        examples[root] =
        [
            $"{CommandName.Own} doctor                            can everything be recorded here?",
            $"{CommandName.Own} collect -- dotnet app.dll         start a program and record it",
            $"{CommandName.Own} collect -p 4711 --duration 30s    record a running process for 30 seconds",
            $"{CommandName.Own} watch -n app                      wait for the next starvation and keep a capture of it",
            $"{CommandName.Own} top -n app                        watch its thread pool, and record nothing",
            $"{CommandName.Own} look -n app                       what is queued and who holds the threads, at this moment",
        ];
        var help = root.Options.OfType<HelpOption>().Single();
        help.Action = new HelpWithExamples((HelpAction)help.Action!, examples);
        return root;
    }

    private static Command Ps(VerbActions actions, Dictionary<Command, string[]> examples)
    {
        var json = new Option<bool>("--json") { Description = "Print [{pid, name, command, runtime}]." };
        var command = new Command("ps", "Lists the .NET processes that can be recorded.") { json };
        command.SetAction((parsed, _) => actions.Ps(new PsOptions(parsed.GetValue(json))));
        examples[command] = [$"{CommandName.Own} ps", $"{CommandName.Own} ps --json | jq '.[].pid'"];
        return command;
    }

    private static Command Doctor(VerbActions actions, Dictionary<Command, string[]> examples)
    {
        var pid = ProcessId("Check for this process, not for this machine alone.");
        var json = new Option<bool>("--json") { Description = "Print [{stream, available, why, how, needed}]." };
        var command = new Command("doctor", "Says for each stream whether it can be recorded here, why not, and how to allow it. Exit code 0 only if the full capture works.") { pid, json };
        command.SetAction((parsed, _) => actions.Doctor(new DoctorOptions(parsed.GetValue(pid), parsed.GetValue(json))));
        examples[command] = [$"{CommandName.Own} doctor", $"{CommandName.Own} doctor -p 4711"];
        return command;
    }

    private static Command Decode(VerbActions actions, Dictionary<Command, string[]> examples)
    {
        var capture = new Argument<string>("capture") { Description = "Folder of a capture, a .nettrace of dotnet-trace, or a trace of Windows: .etl, .etl.zip, .etlx." };
        var pid = ProcessId("The process in a trace. Default: the one with the most work items; in a .nettrace, the only one with events of the pool.");
        var name = new Option<string?>("--name", "-n") { Description = "The process in a trace, by the name of its program.", HelpName = "name" };
        var output = new Option<string?>("--output", "-o") { Description = "Folder of the capture made from a trace. Default: beside the trace, NAME.poolscope.", HelpName = "folder" };
        var scheduler = new Option<string?>("--scheduler") { Description = "For a .nettrace: the perf.data that `perf record -a -k CLOCK_MONOTONIC` wrote at the same time (see recipe perf), or its text from `perf script`.", HelpName = "file" };
        var command = new Command("decode", "Makes the tables of a capture from its raw streams, or a capture from another tool's recording. `collect` decodes by itself; recipe prints what to record with dotnet-trace, perf and PerfView.") { capture, pid, name, output, scheduler };
        command.SetAction((parsed, _) => actions.Decode(new DecodeOptions(parsed.GetValue(capture)!)
        {
            ProcessId = parsed.GetValue(pid),
            Name = parsed.GetValue(name),
            Output = parsed.GetValue(output),
            Scheduler = parsed.GetValue(scheduler),
        }));
        examples[command] = [$"{CommandName.Own} decode traces/app-20260102-030405", $"{CommandName.Own} decode trace.nettrace --scheduler sched.perf.data", $"{CommandName.Own} decode trace.nettrace --scheduler sched.txt", $"{CommandName.Own} decode linux.nettrace -p 4711", $"{CommandName.Own} decode tp.etl.zip -n w3wp", $"{CommandName.Own} decode tp.etlx -p 4711 -o slow"];
        return command;
    }

    private static Command Recipe(VerbActions actions, Dictionary<Command, string[]> examples)
    {
        var tool = new Argument<string>("tool") { Description = "dotnet-trace: the runtime's events, on any system. perf: these and the kernel's, on Linux, as root. perfview: both, on Windows machines on which nothing may be installed.", HelpName = string.Join('|', RecipeCommand.Tools) };
        tool.AcceptOnlyFromAmong([.. RecipeCommand.Tools]);
        var pid = ProcessId("Write the recipe for this process.");
        var duration = new Option<TimeSpan?>("--duration")
        {
            Description = "How long to record, such as 30s, 5m, 1h30m or 300 (seconds). Default: 30s.",
            HelpName = "time",
            CustomParser = ParseLength,
        };
        var command = new Command("recipe", "Prints the command line of another tool whose recording `decode` reads. Also says what it does and what to send back. Runs nothing.") { tool, pid, duration };
        command.SetAction((parsed, _) => actions.Recipe(new RecipeOptions(
            parsed.GetValue(tool)!, parsed.GetValue(pid), parsed.GetValue(duration) ?? RecipeOptions.DefaultDuration)));
        examples[command] = [$"{CommandName.Own} recipe dotnet-trace -p 4711", $"{CommandName.Own} recipe perf -p 4711", $"{CommandName.Own} recipe perfview -p 4711 --duration 1m"];
        return command;
    }

    private static Option<int?> ProcessId(string description) => new("--process-id", "-p")
    {
        Description = description,
        HelpName = "pid",
        CustomParser = result => Parsed(result, text => int.TryParse(text, out var pid) && pid > 0 ? pid : (int?)null, "-p takes the id of a process"),
    };

    private static Option<KernelChoice> Kernel() => new("--kernel")
    {
        Description = "Scheduler events: auto (the best allowed tier; says why not a better one), tracepoint (all processes), switch (the process's own threads, without privilege), schedstat (their counters, polled), etw (Windows only: all processes), none. A named tier fails if it is unavailable. Default: auto.",
        HelpName = "auto|tracepoint|switch|schedstat|etw|none",
        CompletionSources = { "auto", "tracepoint", "switch", "schedstat", "etw", "none" },
        CustomParser = result => Parsed(result, ParseKernel, "--kernel is auto, tracepoint, switch, schedstat, etw or none") ?? KernelChoice.Auto,
    };

    private static Option<TimeSpan?> Snapshots(string description) => new("--snapshots")
    {
        Description = description,
        HelpName = "time",
        CustomParser = result => Parsed(result, ParseSnapshots, "--snapshots takes 50ms to 1h, such as 500ms or 2 (seconds), or 0"),
    };

    private static T? Parsed<T>(ArgumentResult result, Func<string, T?> parse, string complaint)
        where T : struct
    {
        if (parse(result.Tokens[0].Value) is { } value)
        {
            return value;
        }

        result.AddError($"{complaint}, not {result.Tokens[0].Value}");
        return null;
    }

    private static KernelChoice? ParseKernel(string text) => text switch
    {
        "auto" => KernelChoice.Auto,
        "tracepoint" => KernelChoice.Tracepoint,
        "switch" => KernelChoice.Switch,
        "etw" => KernelChoice.Etw,
        "schedstat" => KernelChoice.Schedstat,
        "none" => KernelChoice.None,
        _ => null,
    };

    /// <summary>Parses a duration of at most 49 days: timers count milliseconds in 32 bits.</summary>
    private static TimeSpan? ParseLength(ArgumentResult result) => Parsed(
        result,
        text => Duration.ParseSpan(text, Duration.Second) is { } length && length > TimeSpan.Zero && length.TotalMilliseconds < uint.MaxValue - 1 ? length : (TimeSpan?)null,
        "--duration takes a time such as 30s, 5m, 1h30m or 300 (seconds), up to 49 days");

    private static Option<string[]> Labels() => new("--label")
    {
        Description = "A label of the capture, such as service=shop or version=1.2; `poolscope fleet` groups by it. May repeat, 32 times at most. Default: none.",
        HelpName = "key=value",
        CustomParser = result =>
        {
            if (CaptureLabels.Complaint([.. result.Tokens.Select(token => token.Value)]) is { } complaint)
            {
                result.AddError(complaint);
            }

            return [.. result.Tokens.Select(token => token.Value)];
        },
    };

    private static TimeSpan? ParseSnapshots(string text) =>
        Duration.ParseSpan(text, Duration.Second) is { TotalSeconds: 0 or (>= 0.05 and <= 3600) } gap ? gap : null;

    private static KernelScope? ParseScope(string text) => text switch
    {
        "system" => KernelScope.System,
        "target" => KernelScope.Target,
        _ => null,
    };
}
