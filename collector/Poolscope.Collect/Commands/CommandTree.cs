using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Parsing;
using System.Globalization;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Terminal;

namespace Poolscope.Collect.Commands;

/// <summary>What each verb does once its command line is understood; replaced in tests.</summary>
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

/// <summary>The command line: verbs, options, and what each accepts. Names are dotnet-trace's where it has one.</summary>
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
            Collect(actions, examples),
            Watch(actions, examples),
            Top(actions, examples),
            Look(actions, examples),
            Decode(actions, examples),
            Recipe(actions, examples),
        };
        examples[root] =
        [
            "poolscope-collect doctor                          can everything be recorded here?",
            "poolscope-collect collect -- dotnet app.dll       start a program and record it",
            "poolscope-collect collect -p 4711 --duration 30   record a running process for 30 seconds",
            "poolscope-collect watch -n app                    wait for the next starvation and keep a capture of it",
            "poolscope-collect top -n app                      watch its thread pool, and record nothing",
            "poolscope-collect look -n app                     what is queued and who holds the threads, at this moment",
        ];
        var help = root.Options.OfType<HelpOption>().Single();
        help.Action = new HelpWithExamples((HelpAction)help.Action!, examples);
        return root;
    }

    private static Command Ps(VerbActions actions, Dictionary<Command, string[]> examples)
    {
        var json = new Option<bool>("--json") { Description = "Print [{pid, name, command, runtime}]." };
        var command = new Command("ps", "List the .NET processes that can be captured.") { json };
        command.SetAction((parsed, _) => actions.Ps(new PsOptions(parsed.GetValue(json))));
        examples[command] = ["poolscope-collect ps", "poolscope-collect ps --json | jq '.[].pid'"];
        return command;
    }

    private static Command Doctor(VerbActions actions, Dictionary<Command, string[]> examples)
    {
        var pid = ProcessId("Check for this process, not for this machine alone.");
        var json = new Option<bool>("--json") { Description = "Print [{stream, available, why, how, needed}]." };
        var command = new Command("doctor", "Say for each stream and kernel tier whether it can be recorded here, why not, and how to allow it. Exit code 0 only if the full capture works.") { pid, json };
        command.SetAction((parsed, _) => actions.Doctor(new DoctorOptions(parsed.GetValue(pid), parsed.GetValue(json))));
        examples[command] = ["poolscope-collect doctor", "poolscope-collect doctor -p 4711"];
        return command;
    }

    private static Command Collect(VerbActions actions, Dictionary<Command, string[]> examples)
    {
        var pid = ProcessId("The process to record. It is left as it was found and keeps running.");
        var name = new Option<string?>("--name", "-n") { Description = "The process to record, by the name that `ps` shows.", HelpName = "name" };
        var output = new Option<string?>("--output", "-o")
        {
            Description = "Folder of the capture; new or empty. Default: traces/NAME-DATE-TIME where there is a folder traces, else NAME-DATE-TIME.poolscope.",
            HelpName = "folder",
        };
        var duration = new Option<TimeSpan?>("--duration")
        {
            Description = "How long to record: 30s, 5m, 1h, seconds, or dd:hh:mm:ss. Default: until Ctrl-C, SIGTERM or the end of the process.",
            HelpName = "time",
            CustomParser = result => Parsed(result, TraceDuration.Parse, "--duration takes a time such as 30s, 5m, 300 (seconds) or 00:05:00, up to 49 days"),
        };
        var kernel = Kernel();
        var scope = new Option<KernelScope>("--scope")
        {
            Description = "Tier tracepoint: system (all processes) or target (switches and wake-ups of the process's own threads; a smaller file on a machine with many cores, but who else held the cores is not known). Default: system.",
            HelpName = "system|target",
            CustomParser = result => Parsed(result, ParseScope, "--scope is system or target") ?? KernelScope.System,
        };
        var pollStep = new Option<TimeSpan?>("--poll-step")
        {
            Description = "Tier schedstat: milliseconds from one look at the threads to the next, 1 to 1000. What happens in between is known as sums only. Default: 10.",
            HelpName = "ms",
            CustomParser = result => Parsed(result, ParsePollStep, "--poll-step takes 1 to 1000 ms"),
        };
        var maxSize = new Option<long?>("--max-size")
        {
            Description = "Size of streams and tables together at which recording ends, such as 500MB; with --no-decode, of the streams alone. Default: 2GB.",
            HelpName = "size",
            CustomParser = result => Parsed(result, ParseMaxSize, "--max-size takes a size of at least 10MB, such as 500MB or 2GB"),
        };
        var buffer = new Option<int?>("--buffersize")
        {
            Description = "Room for events inside the process, MB per session. Default: 256.",
            HelpName = "MB",
            CustomParser = result => Parsed(result, ParseBuffer, "--buffersize takes 1 to 16384 MB"),
        };
        var snapshots = Snapshots("Mean seconds from one snapshot of all stacks to the next, 0.05 to 3600; 0 takes none. They name what blocks without an event: sleeps, sockets, files. In the first 5 seconds, and while work items wait late, they are 0.25 seconds apart at most. Default: 1.");
        var noSockets = new Option<bool>("--no-sockets") { Description = "Leave out TCP sockets: how long a request lay in a socket before a thread read it is not known then." };
        var noRequests = new Option<bool>("--no-requests") { Description = "Leave out the requests of ASP.NET Core and the calls through HttpClient." };
        var activities = new Option<string[]>("--activities")
        {
            Description = "Also the activities of the ActivitySource with this name: when each began and ended, and its ids. May repeat; * is every source.",
            HelpName = "source",
            CustomParser = ParseSources,
        };
        var labels = Labels();
        var noLook = new Option<bool>("--no-look") { Description = "Leave out the looks at the process's memory, when it is attached to and at the end: what limits its pool has, and what is queued, is inferred then." };
        var noWaits = new Option<bool>("--no-waits") { Description = "Leave out the stacks of waits, and with --, method names that no rundown tells: blame then has only the snapshots to go by." };
        var noDecode = new Option<bool>("--no-decode") { Description = "Leave the tables to `poolscope-collect decode`." };
        var child = new Argument<string[]>("command")
        {
            Description = "After --: a program and its arguments, recorded from its first instruction. The first .NET process that it starts is the target. "
                + "Its exit code is passed on; where the recording ends before it (--duration, --max-size, a signal) it gets SIGTERM, 30 seconds later SIGKILL, and the exit code is the capture's.",
            Arity = ArgumentArity.ZeroOrMore,
        };
        var command = new Command("collect", "Record a process into a capture folder. One of -p, -n and -- COMMAND says which.")
        {
            pid, name, output, duration, kernel, scope, pollStep, maxSize, buffer, snapshots, noWaits, noLook, noSockets, noRequests, activities, labels, noDecode, child,
        };
        command.SetAction((parsed, _) => actions.Collect(new CollectOptions
        {
            ProcessId = parsed.GetValue(pid),
            Name = parsed.GetValue(name),
            Output = parsed.GetValue(output),
            Duration = parsed.GetValue(duration),
            Kernel = parsed.GetValue(kernel),
            Scope = parsed.GetValue(scope),
            PollStep = parsed.GetValue(pollStep) ?? CollectOptions.DefaultPollStep,
            MaxBytes = parsed.GetValue(maxSize) ?? CollectOptions.DefaultMaxBytes,
            BufferMb = parsed.GetValue(buffer) ?? CollectOptions.DefaultBufferMb,
            Snapshots = parsed.GetValue(snapshots) ?? CollectOptions.DefaultSnapshots,
            Waits = !parsed.GetValue(noWaits),
            Look = !parsed.GetValue(noLook),
            Sockets = !parsed.GetValue(noSockets),
            Requests = !parsed.GetValue(noRequests),
            Activities = parsed.GetValue(activities) is { Length: > 0 } named ? named : [],
            Labels = CaptureLabels.Of(parsed.GetValue(labels)),
            Decode = !parsed.GetValue(noDecode),
            Command = ChildCommand(parsed, child),
        }));
        examples[command] =
        [
            "poolscope-collect collect -- dotnet app.dll --urls http://127.0.0.1:5000",
            "poolscope-collect collect -p 4711 --duration 00:00:00:30",
            "poolscope-collect collect -n app -o slow-start --max-size 500MB",
            "poolscope-collect collect -n worker --activities MyCompany.Worker",
        ];
        return command;
    }

    private static Command Decode(VerbActions actions, Dictionary<Command, string[]> examples)
    {
        var capture = new Argument<string>("capture") { Description = "Folder of a capture, a .nettrace of dotnet-trace, or a trace of Windows: .etl and .etl.zip (on Windows only), .etlx (anywhere)." };
        var pid = ProcessId("Of a trace: the process. Default: the one with the most work items; of a .nettrace, the only one with events of the pool.");
        var name = new Option<string?>("--name", "-n") { Description = "Of a trace: the process, by the name of its program.", HelpName = "name" };
        var output = new Option<string?>("--output", "-o") { Description = "Of a trace: folder of the capture to be made. Default: beside it, NAME.poolscope.", HelpName = "folder" };
        var scheduler = new Option<string?>("--scheduler") { Description = "Of a .nettrace: the perf.data that `perf record -a -k CLOCK_MONOTONIC` wrote at the same time (see recipe perf), or the text that `perf script` printed of it.", HelpName = "file" };
        var command = new Command("decode", "Make the tables of a capture from its raw streams; `collect` does it by itself. Also takes what dotnet-trace, perf and PerfView recorded (see recipe).") { capture, pid, name, output, scheduler };
        command.SetAction((parsed, _) => actions.Decode(new DecodeOptions(parsed.GetValue(capture)!)
        {
            ProcessId = parsed.GetValue(pid),
            Name = parsed.GetValue(name),
            Output = parsed.GetValue(output),
            Scheduler = parsed.GetValue(scheduler),
        }));
        examples[command] = ["poolscope-collect decode traces/app-20260102-030405", "poolscope-collect decode trace.nettrace --scheduler sched.perf.data", "poolscope-collect decode trace.nettrace --scheduler sched.txt", "poolscope-collect decode linux.nettrace -p 4711", "poolscope-collect decode tp.etl.zip -n w3wp", "poolscope-collect decode tp.etlx -p 4711 -o slow"];
        return command;
    }

    private static Command Recipe(VerbActions actions, Dictionary<Command, string[]> examples)
    {
        var tool = new Argument<string>("tool") { Description = "dotnet-trace: the runtime's events, on any system. perf: these and the kernel's, on Linux, as root. perfview: both, on Windows machines on which nothing may be installed.", HelpName = string.Join('|', RecipeCommand.Tools) };
        tool.AcceptOnlyFromAmong([.. RecipeCommand.Tools]);
        var pid = ProcessId("Write the recipe for this process.");
        var duration = new Option<TimeSpan?>("--duration")
        {
            Description = "How long to record: 30s, 5m, 1h, seconds, or dd:hh:mm:ss. Default: 30.",
            HelpName = "time",
            CustomParser = result => Parsed(result, TraceDuration.Parse, "--duration takes a time such as 30s, 5m, 300 (seconds) or 00:05:00, up to 49 days"),
        };
        var command = new Command("recipe", "Print the command line of another tool that records what decode takes, with what it does and what to send back. Runs nothing.") { tool, pid, duration };
        command.SetAction((parsed, _) => actions.Recipe(new RecipeOptions(
            parsed.GetValue(tool)!, parsed.GetValue(pid), parsed.GetValue(duration) ?? RecipeOptions.DefaultDuration)));
        examples[command] = ["poolscope-collect recipe dotnet-trace -p 4711", "poolscope-collect recipe perf -p 4711", "poolscope-collect recipe perfview -p 4711 --duration 60"];
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
        Description = "Scheduler events: auto (the best that is allowed; says what is not), tracepoint (all processes; that or nothing), switch (the process's own threads, without privilege; that or nothing), schedstat (their counters, polled; that or nothing), etw (Windows only: all processes), none. Default: auto.",
        HelpName = "auto|tracepoint|switch|schedstat|etw|none",
        CustomParser = result => Parsed(result, ParseKernel, "--kernel is auto, tracepoint, switch, schedstat, etw or none") ?? KernelChoice.Auto,
    };

    private static Option<TimeSpan?> Snapshots(string description) => new("--snapshots")
    {
        Description = description,
        HelpName = "seconds",
        CustomParser = result => Parsed(result, ParseSnapshots, "--snapshots takes 0.05 to 3600 seconds, or 0"),
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

    private static long? ParseMaxSize(string text) => ByteSize.Parse(text) is >= CollectOptions.LeastMaxBytes and var bytes ? bytes : null;

    private static Option<string[]> Labels() => new("--label")
    {
        Description = "A label of the capture, such as service=shop or version=1.2, by which `poolscope fleet` groups. May repeat, 32 times at most. Default: none.",
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

    /// <summary>What parts the runtime's filter of sources can be no part of a name in it.</summary>
    private static string[] ParseSources(ArgumentResult result)
    {
        foreach (var token in result.Tokens)
        {
            if (token.Value.Trim().Length == 0 || token.Value.Any("/+:\"\n\r".Contains))
            {
                var given = token.Value.Trim().Length == 0 ? "an empty text" : token.Value.ReplaceLineEndings(" ");
                result.AddError($"--activities takes the name of an ActivitySource, or *, not {given}");
            }
        }

        return [.. result.Tokens.Select(token => token.Value.Trim())];
    }

    private static TimeSpan? ParseSnapshots(string text) =>
        double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var seconds) && seconds is 0 or >= 0.05 and <= 3600
            ? TimeSpan.FromSeconds(seconds)
            : null;

    private static KernelScope? ParseScope(string text) => text switch
    {
        "system" => KernelScope.System,
        "target" => KernelScope.Target,
        _ => null,
    };

    private static TimeSpan? ParsePollStep(string text) => int.TryParse(text, out var ms) && ms is >= 1 and <= 1000 ? TimeSpan.FromMilliseconds(ms) : null;

    private static int? ParseBuffer(string text) => int.TryParse(text, out var mb) && mb is >= 1 and <= 16384 ? mb : null;

    /// <summary>Without the --, an option meant for the program would be taken for one of ours.</summary>
    private static string[] ChildCommand(ParseResult parsed, Argument<string[]> child)
    {
        var command = parsed.GetValue(child) ?? [];
        if (command.Length == 0 || parsed.Tokens.Any(token => token.Type == TokenType.DoubleDash))
        {
            return command;
        }

        throw command[0].StartsWith('-')
            ? new CommandException(ExitCode.Usage, $"there is no option {command[0]} (see poolscope-collect collect --help)")
            : new CommandException(ExitCode.Usage, $"put -- before the command: collect -- {ProcessNames.Join(command)}");
    }
}
