using System.CommandLine;
using Poolscope.Service.Load;
using Poolscope.Workloads.Commands;
using Poolscope.Workloads.Running;

namespace Poolscope.Service.Commands;

/// <summary>`load URL`: the load generator. `run` starts it in a process of its own.</summary>
internal static class LoadCommand
{
    public const string Name = "load";

    /// <summary>A hidden option for `run`: the child prints a line when it is ready and ends with its standard
    /// input.</summary>
    public const string ChildOption = "--child";

    public static readonly string[] Examples =
    [
        "poolscope-service load http://127.0.0.1:5000/async",
        "poolscope-service load http://127.0.0.1:5000/sync --rate 100 --duration 10 --arrivals fixed --json",
    ];

    private const int WarmUpRequests = 5;

    public static Command Create()
    {
        var url = new Argument<string>("url") { Description = "An address of this machine, as `serve` prints them.", HelpName = "url" };
        var options = new LoadOptions();
        var json = new Option<bool>("--json") { Description = "The report for machines." };
        var child = new Option<bool>(ChildOption) { Hidden = true };
        var command = new Command(Name, "Sends requests at set times, whatever becomes of those before.") { url };
        options.AddTo(command);
        command.Add(json);
        command.Add(child);
        command.SetAction(parsed =>
        {
            var target = Target(parsed.GetRequiredValue(url));
            var settings = options.Read(parsed);
            var output = parsed.InvocationConfiguration.Output;
            if (parsed.GetValue(child))
            {
                EndWithParent();
                output.WriteLine("ready");
                output.Flush();
            }

            var report = Send(target, settings);
            if (parsed.GetValue(json))
            {
                Json.Write(output, report);
            }
            else
            {
                output.WriteLine(target.AbsoluteUri);
                report.Write(output);
            }

            // A service that answers nothing after that is a result, not a mistake: a starved pool can do that.
            return ExitCode.Ok;
        });
        return command;
    }

    private static LoadReport Send(Uri target, LoadSettings settings)
    {
        var duration = TimeSpan.FromSeconds(settings.DurationS);
        var intended = Arrivals.Plan(settings.Arrivals, settings.Rate, duration, settings.Seed);
        using var generator = new LoadGenerator(target, numbered: settings.Log is not null, settings.Http2);
        try
        {
            generator.WarmUp(WarmUpRequests);
        }
        catch (HttpRequestException e)
        {
            throw new CommandException(ExitCode.Failed, $"{target} does not answer: {e.Message}");
        }

        var requests = generator.Run(intended, TimeSpan.FromSeconds(settings.DrainS));
        if (settings.Log is not null)
        {
            RequestLog.Write(settings.Log, requests, generator.StartedAtNs);
        }

        return LoadReport.Of(requests, duration);
    }

    /// <summary>Parses the address of a service on this machine. A wrong address must not put load on another
    /// machine.</summary>
    private static Uri Target(string url) =>
        Uri.TryCreate(url, UriKind.Absolute, out var target) && (target.Scheme == Uri.UriSchemeHttp || target.Scheme == Uri.UriSchemeHttps) && target.IsLoopback
            ? target
            : throw new CommandException(ExitCode.Usage, $"'{url}' is no http or https address of this machine");

    private static void EndWithParent()
    {
        var watch = new Thread(() =>
        {
            OwnProgram.WaitForParent();
            Environment.Exit(ExitCode.Failed);
        })
        { Name = "Parent watch", IsBackground = true };
        watch.Start();
    }
}
