using System.CommandLine;
using System.Globalization;
using Poolscope.Workloads.Running;
using Poolscope.Workloads.SlowService;

namespace Poolscope.Workloads.Commands;

/// <summary>`serve` (hidden): the slow service, started by the ticket in a process of its own. Prints its port and
/// ends when its standard input does.</summary>
internal static class ServeCommand
{
    public static Command Create()
    {
        var delay = new Option<int>("--work-ms") { Description = "From a request to its answer, in ms.", Required = true };
        var command = new Command(SlowServerProcess.Verb, "Answers HTTP requests late.") { delay };
        command.Hidden = true;
        command.SetAction(parsed =>
        {
            using var server = new SlowServer(TimeSpan.FromMilliseconds(parsed.GetValue(delay)));
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
