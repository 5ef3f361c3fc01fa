using System.CommandLine;
using System.Diagnostics;
using Poolscope.Workloads.Experiments;
using Poolscope.Workloads.Pools;
using Poolscope.Workloads.Running;
using Poolscope.Workloads.Truth;

namespace Poolscope.Workloads.Commands;

/// <summary>`run NAME`: runs one workload, writes its truth, and reports the result.</summary>
internal static class RunCommand
{
    public const string Name = "run";

    public static readonly string[] Examples =
    [
        "poolscope-workloads run ticket",
        "poolscope-workloads run ticket --full --client http-result",
        "poolscope-workloads run trickle-v1 --min-threads 10 --json -o truth.npz",
        "poolscope-workloads run spin --count 8 --work-ms 1000 -v",
        "poolscope-workloads run paced --rate 10000 --work-ms 60000 --meter",
        "poolscope-workloads run trickle-v1 --pool fixed:10",
    ];

    public static Command Create()
    {
        var name = new Argument<string>("name") { Description = "A workload that `list` names.", HelpName = "name" };
        name.CompletionSources.Add([.. Registry.All.Select(w => w.Description.Id)]);
        var sizes = new RunOptions();
        var path = new Option<string?>("--output", "-o")
        {
            Description = $"Where to write {TruthFile.Name}. Default: the folder in {TruthFile.CaptureVariable}, which the "
                          + "collector sets for a process that it starts; else it is not written.",
            HelpName = "path",
        };
        var verbose = new Option<bool>("--verbose", "-v") { Description = "A line on stderr for each item that starts." };
        var json = new Option<bool>("--json") { Description = "The summary for machines." };
        var meter = new Option<bool>("--meter")
        {
            Description = "Begin at the first line of standard input, and answer each line with the items finished and the time used so far: "
                          + "{items, wall_ns, user_ns, system_ns}. The end of input ends a workload that runs for a time.",
        };

        var command = new Command(Name, "Runs a workload.") { name };
        sizes.AddTo(command);
        command.Add(path);
        command.Add(verbose);
        command.Add(json);
        command.Add(meter);
        command.SetAction(parsed =>
        {
            var workload = Registry.Find(parsed.GetRequiredValue(name)) ?? throw new CommandException(
                ExitCode.Usage, $"there is no workload '{parsed.GetValue(name)}': `poolscope-workloads list` names them all");
            var choice = sizes.Pool(parsed, workload);
            var settings = sizes.Apply(parsed, workload, choice);
            var truth = workload.QueuesToPool
                ? TruthFile.Locate(parsed.GetValue(path), Environment.GetEnvironmentVariable(TruthFile.CaptureVariable))
                : null;
            var error = parsed.GetValue(verbose) ? parsed.InvocationConfiguration.Error : null;

            var report = Execute(
                workload, choice, settings, truth, error,
                parsed.GetValue(meter) ? new Meter(Console.In, parsed.InvocationConfiguration.Output) : null);
            Report.Publish(report, parsed.GetValue(json), parsed.InvocationConfiguration.Output);
            return ExitCode.Ok;
        });
        return command;
    }

    private static RunReport Execute(
        IWorkload workload, PoolChoice choice, RunSettings settings, string? truth, TextWriter? startLog, Meter? meter)
    {
        try
        {
            if (truth is not null)
            {
                TruthFile.Probe(truth);
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new CommandException(ExitCode.Usage, $"cannot write {truth}: {e.Message}");
        }

        try
        {
            using var pool = choice.Create();
            var limits = pool.Limit(settings.MinThreads, settings.MaxThreads);
            using var run = new WorkloadRun(settings, pool, limits);
            meter?.Begin(run);
            var begin = Stopwatch.GetTimestamp();
            using (startLog is null ? null : new StartLog(run.Items, startLog))
            {
                workload.Run(run);
            }

            var summary = RunSummary.Of(run.Items, run.ThreadsAtEnd, Stopwatch.GetElapsedTime(begin));
            if (truth is not null)
            {
                TruthFile.Write(truth, run.Items);
            }

            return run.Failures == 0
                ? new RunReport(workload.Description, settings, pool.Name, limits, pool.CompletedItems, summary, truth, run.Figures)
                : throw new CommandException(
                    ExitCode.Failed, $"{run.Failures} of {settings.Count} items failed, the first with: {run.FirstFailure?.Message}");
        }
        catch (Exception e) when (e is PoolRefusedException or WorkloadFailedException or IOException or UnauthorizedAccessException)
        {
            throw new CommandException(ExitCode.Failed, e.Message);
        }
    }
}
