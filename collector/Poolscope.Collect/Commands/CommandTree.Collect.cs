using System.CommandLine;
using System.CommandLine.Parsing;
using Poolscope.Collect.Commands.Collecting;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Terminal;

namespace Poolscope.Collect.Commands;

/// <summary>The verb `collect`.</summary>
public static partial class CommandTree
{
    private static Command Collect(VerbActions actions, Dictionary<Command, string[]> examples)
    {
        var pid = ProcessId("The process to record. It keeps running, unchanged.");
        var name = new Option<string?>("--name", "-n") { Description = "The process to record, by the name that `ps` shows.", HelpName = "name" };
        var output = new Option<string?>("--output", "-o")
        {
            Description = "Folder of the capture; new or empty. Default: traces/NAME-DATE-TIME if a folder traces exists, else NAME-DATE-TIME.poolscope.",
            HelpName = "folder",
        };
        var duration = new Option<TimeSpan?>("--duration")
        {
            Description = "How long to record, such as 30s, 5m, 1h30m or 300 (seconds); also dotnet-trace's dd:hh:mm:ss. Default: until Ctrl-C, SIGTERM or the end of the process.",
            HelpName = "time",
            CustomParser = ParseLength,
        };
        var kernel = Kernel();
        var scope = new Option<KernelScope>("--scope")
        {
            Description = "Tier tracepoint: system (all processes) or target (switches and wake-ups of the process's own threads; a smaller file on a machine with many cores, but it does not show which other processes held the cores). Default: system.",
            HelpName = "system|target",
            CompletionSources = { "system", "target" },
            CustomParser = result => Parsed(result, ParseScope, "--scope is system or target") ?? KernelScope.System,
        };
        var pollStep = new Option<TimeSpan?>("--poll-step")
        {
            Description = "Tier schedstat: time between two polls of the threads, 1ms to 1s; a number alone is milliseconds. A poll gives only sums for the time since the last one. Default: 10ms.",
            HelpName = "time",
            CustomParser = result => Parsed(result, ParsePollStep, "--poll-step takes 1ms to 1s, such as 10ms or 10 (milliseconds)"),
        };
        var maxSize = new Option<long?>("--max-size")
        {
            Description = "Size of streams and tables together at which recording ends, such as 500MB; with --no-decode, of the streams alone. Default: 2GB.",
            HelpName = "size",
            CustomParser = result => Parsed(result, ParseMaxSize, "--max-size takes a size of at least 10MB, such as 500MB or 2GB"),
        };
        var buffer = new Option<int?>("--buffersize")
        {
            Description = "Room for events inside the process, per session, 1MB to 16GB; a number alone is MB. Default: 256MB.",
            HelpName = "size",
            CustomParser = result => Parsed(result, ParseBuffer, "--buffersize takes 1MB to 16GB, such as 256MB or 256 (MB)"),
        };
        var snapshots = Snapshots("Mean time between two snapshots of all stacks, 50ms to 1h; a number alone is seconds, and 0 takes none. Snapshots name code that blocks without an event: sleeps, sockets, files. In the first 5 seconds, and while work items wait late, they are at most 0.25 seconds apart. Default: 1s.");
        var noSockets = new Option<bool>("--no-sockets") { Description = "Do not record TCP sockets. The capture then does not show how long a request lay in a socket before a thread read it." };
        var noRequests = new Option<bool>("--no-requests") { Description = "Do not record the requests of ASP.NET Core and the calls through HttpClient." };
        var activities = new Option<string[]>("--activities")
        {
            Description = "Also record the activities of the ActivitySource with this name: when each began and ended, and its ids. May repeat; * is every source.",
            HelpName = "source",
            CustomParser = ParseSources,
        };
        var labels = Labels();
        var noLook = new Option<bool>("--no-look") { Description = "Do not read the process's memory at the beginning and the end. Poolscope then infers the limits of the pool and its queue." };
        var noWaits = new Option<bool>("--no-waits") { Description = "Do not record wait stacks or, with --, method names that no rundown has. Blame is then less precise." };
        var noDecode = new Option<bool>("--no-decode") { Description = $"Skip decoding; run `{CommandName.Own} decode` later." };
        var child = new Argument<string[]>("command")
        {
            Description = "After --: a program and its arguments, recorded from its first instruction. The first .NET process that it starts is the target. "
                + "The command exits with the program's exit code. If the recording ends first (--duration, --max-size, a signal), the program gets SIGTERM, and SIGKILL 30 seconds later; the exit code is then that of the capture.",
            Arity = ArgumentArity.ZeroOrMore,
        };
        var command = new Command("collect", "Records a process into a capture folder, without analysing it. One of -p, -n and -- COMMAND says which.")
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
            $"{CommandName.Own} collect -- dotnet app.dll --urls http://127.0.0.1:5000",
            $"{CommandName.Own} collect -p 4711 --duration 30s",
            $"{CommandName.Own} collect -n app -o slow-start --max-size 500MB",
            $"{CommandName.Own} collect -n worker --activities MyCompany.Worker",
        ];
        return command;
    }

    private static long? ParseMaxSize(string text) => ByteSize.Parse(text, 1) is >= CollectOptions.LeastMaxBytes and var bytes ? bytes : null;

    /// <summary>Parses source names, which cannot contain the separators of the runtime's source filter.</summary>
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

    private static TimeSpan? ParsePollStep(string text) =>
        Duration.ParseSpan(text, Duration.Millisecond) is { TotalMilliseconds: >= 1 and <= 1000 } step ? step : null;

    /// <returns>Whole megabytes, the unit of the runtime.</returns>
    private static int? ParseBuffer(string text) =>
        ByteSize.Parse(text, ByteSize.Megabyte) is >= ByteSize.Megabyte and <= 16384 * ByteSize.Megabyte and var bytes ? (int)(bytes / ByteSize.Megabyte) : null;

    /// <summary>Returns the command to launch. Without --, the parser would read its options as the
    /// collector's.</summary>
    private static string[] ChildCommand(ParseResult parsed, Argument<string[]> child)
    {
        var command = parsed.GetValue(child) ?? [];
        if (command.Length == 0 || parsed.Tokens.Any(token => token.Type == TokenType.DoubleDash))
        {
            return command;
        }

        throw new CommandException(ExitCode.Usage, $"put -- before the command: {CommandName.Own} collect -- {ProcessNames.Join(command)}");
    }
}
