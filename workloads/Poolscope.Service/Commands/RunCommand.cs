using System.CommandLine;
using System.Net;
using System.Text.Json;
using Poolscope.Service.Hosting;
using Poolscope.Service.Load;
using Poolscope.Workloads.Commands;
using Poolscope.Workloads.Pools;
using Poolscope.Workloads.Running;
using Poolscope.Workloads.SlowService;

namespace Poolscope.Service.Commands;

/// <summary>`run`: this process is the service. Its database and its load run in two more, which end with it.</summary>
internal static class RunCommand
{
    public const string Name = "run";

    public static readonly string[] Examples =
    [
        "poolscope-service run --fault sync --rate 60 --duration 20",
        "poolscope-service run --fault sync --min-threads 4 --max-threads 4",
        "poolscope-service run --fault lock --db-ms 100 --arrivals fixed --json",
    ];

    public static Command Create()
    {
        var service = new ServiceOptions();
        var load = new LoadOptions();
        var json = new Option<bool>("--json") { Description = "The report for machines." };
        var command = new Command(Name, "Runs the service, its database and a load, and says what the load saw.");
        service.AddTo(command);
        load.AddTo(command);
        command.Add(json);
        command.SetAction(parsed =>
        {
            var settings = service.Read(parsed);
            var sent = load.Read(parsed);
            RunReport? report;
            int interruptedWith;
            try
            {
                (report, interruptedWith) = Run(settings, sent, parsed.InvocationConfiguration.Error);
            }
            catch (Exception e) when (e is PoolRefusedException or WorkloadFailedException or IOException)
            {
                throw new CommandException(ExitCode.Failed, e.Message);
            }

            if (report is null)
            {
                return interruptedWith;
            }

            Report.Publish(report, parsed.GetValue(json), parsed.InvocationConfiguration.Output);
            return ExitCode.Ok;
        });
        return command;
    }

    /// <returns>A null report and the exit code that shells give to the signal, if a signal ended the run.</returns>
    private static (RunReport? Report, int InterruptedWith) Run(ServiceSettings settings, LoadSettings sent, TextWriter error)
    {
        using var pool = new RuntimePool();
        var limits = pool.Limit(settings.MinThreads, settings.MaxThreads);
        var queryTime = TimeSpan.FromMilliseconds(settings.DbMs);

        // Both exist before the first child, so a signal at any time ends the children and this process.
        OwnProgram? generator = null;
        var interruptedWith = 0;
        using var signals = new EndingSignals(code =>
        {
            Volatile.Write(ref interruptedWith, code);
            Volatile.Read(ref generator)?.AskToEnd();
        });
        using var database = SlowServerProcess.Start(queryTime, settings.Spell);
        using var service = WebService.Start(settings.Fault.Fault, new IPEndPoint(IPAddress.Loopback, database.Port), queryTime, sent.Http2, settings.Https);
        var target = new Uri(service.Address, settings.Fault.Path);
        using var child = OwnProgram.StartProgram(
            CommandLine.Name, "the load generator", [LoadCommand.Name, target.AbsoluteUri, .. sent.ToArguments(), "--json", LoadCommand.ChildOption]);
        Volatile.Write(ref generator, child);
        if (Volatile.Read(ref interruptedWith) != 0)
        {
            child.AskToEnd();
        }

        error.WriteLine(
            $"{CommandLine.Name}: {target}, database in process {database.ProcessId}, load from process {child.ProcessId}: "
            + $"{sent.Rate} requests/s for {sent.DurationS} s");

        // Blocks the main thread, so the pool has only the service's items.
        var text = child.ReadToEnd();
        if (Volatile.Read(ref interruptedWith) is var code and not 0)
        {
            return (null, code);
        }

        var report = Parse(text);
        return (new RunReport(settings, sent, limits, pool.ThreadCount, pool.CompletedItems, report), 0);
    }

    private static LoadReport Parse(string text)
    {
        try
        {
            return Json.Read<LoadReport>(text)!;
        }
        catch (JsonException)
        {
            throw new WorkloadFailedException("the load generator ended without a report");
        }
    }
}
