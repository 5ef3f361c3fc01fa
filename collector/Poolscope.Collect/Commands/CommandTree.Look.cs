using System.CommandLine;
using Poolscope.Collect.Commands.Looking;
using Poolscope.Collect.Terminal;

namespace Poolscope.Collect.Commands;

/// <summary>The verb `look`.</summary>
public static partial class CommandTree
{
    private static Command Look(VerbActions actions, Dictionary<Command, string[]> examples)
    {
        var dump = new Argument<string?>("dump") { Description = "A core dump, as `dotnet-dump collect` or the kernel writes it.", Arity = ArgumentArity.ZeroOrOne };
        var pid = ProcessId("The process to look at. It is not stopped.");
        var name = new Option<string?>("--name", "-n") { Description = "The process to look at, by the name that `ps` shows.", HelpName = "name" };
        var json = new Option<bool>("--json") { Description = "Print {target, runtime, pool, queue, threads, locks, moved, verdict, text}." };
        var dac = new Option<string?>("--dac")
        {
            Description = "The libmscordaccore.so of the target's runtime. Default: the one beside the runtime, or of an installed runtime of the same build.",
            HelpName = "file",
        };
        var command = new Command("look", "Shows the pool of a process or a dump at one moment, without recording: the queue, the methods that hold the threads, and the limits. Takes a second. Look twice to see whether anything moves; only a recording shows how long items wait.")
        {
            dump, pid, name, json, dac,
        };
        command.SetAction((parsed, _) => actions.Look(new LookOptions
        {
            Dump = parsed.GetValue(dump),
            ProcessId = parsed.GetValue(pid),
            Name = parsed.GetValue(name),
            Json = parsed.GetValue(json),
            Dac = parsed.GetValue(dac),
        }));
        examples[command] = [$"{CommandName.Own} look -p 4711", $"{CommandName.Own} look -n app --json", $"{CommandName.Own} look core.4711"];
        return command;
    }
}
