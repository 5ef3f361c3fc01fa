using System.CommandLine;
using System.Globalization;
using Poolscope.Workloads.Running;
using Poolscope.Workloads.SlowService;

namespace Poolscope.Workloads.Commands;

/// <summary>`serve` (hidden): the slow service, which the ticket starts in a process of its own. Prints its port and
/// ends with its standard input.</summary>
internal static class ServeCommand
{
    public static Command Create()
    {
        var delay = new Option<int>("--work-ms") { Description = "From a request to its answer, in ms.", Required = true };
        var spell = new Option<string?>(SlowServerProcess.SpellOption) { Description = "START:LENGTH:FACTOR, such as 5:5:10: after 5 s, for 5 s, answers take ten times as long." };
        var command = new Command(SlowServerProcess.Verb, "Answers HTTP requests late.") { delay, spell };
        command.Hidden = true;
        command.SetAction(parsed =>
        {
            var slower = parsed.GetValue(spell) is { } text ? SlowServerProcess.Parse(text) : null;
            using var server = new SlowServer(TimeSpan.FromMilliseconds(parsed.GetValue(delay)), slower);
            _ = server.ServeAsync();
            var output = parsed.InvocationConfiguration.Output;
            output.WriteLine(server.Port.ToString(CultureInfo.InvariantCulture));
            output.Flush();
            OwnProgram.WaitForParent();
            return ExitCode.Ok;
        });
        return command;
    }
}
