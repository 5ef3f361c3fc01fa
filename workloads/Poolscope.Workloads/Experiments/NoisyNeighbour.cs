using System.Globalization;
using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Items that need half of the machine, beside another process that wants all of it. Alone they would start at
/// once. The pool has a thread for each core, so it is not short of threads.</summary>
public sealed class NoisyNeighbour : IWorkload
{
    /// <summary>The hidden verb that starts the neighbour.</summary>
    public const string Verb = "hold-cores";

    // With four computing threads per core, a worker gets a fifth of a core, well below the half that it needs.
    private const int NeighboursPerCore = 4;
    private const int WorkMs = 40;
    private const int ItemsPerCore = 40;

    private static readonly int s_cores = Environment.ProcessorCount;

    public WorkloadDescription Description { get; } = new(
        "noisy-neighbour",
        "Items of 40 ms of CPU work that half of the cores would serve, beside a process with 4 computing threads a core",
        null,
        null,
        [new ExpectedVerdict("", ["noisy-neighbour"])],
        Knobs.Items);

    public RunSettings Defaults(bool full) => new(
        ItemsPerCore * s_cores, Math.Max(1, 2 * WorkMs / s_cores), WorkMs, s_cores, s_cores);

    public void Run(WorkloadRun run)
    {
        // Calibrated before the neighbour can disturb it.
        var iterations = SpinWork.Calibrate(run.Settings.Work);
        var threads = (NeighboursPerCore * s_cores).ToString(CultureInfo.InvariantCulture);
        using var neighbour = OwnProgram.Start("the neighbour", Verb, "--threads", threads);
        run.QueueAll(_ => SpinWork.Spin(iterations));
    }
}
