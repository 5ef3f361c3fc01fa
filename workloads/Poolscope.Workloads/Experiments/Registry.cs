using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Every workload, in the order in which `list` shows them.</summary>
public static class Registry
{
    public static IReadOnlyList<IWorkload> All { get; } =
    [
        new Ticket(),
        new BatchBlock10(),
        new BatchBlock200(),
        new BatchAsync(),
        new BatchAsync2(),
        new TrickleV1(),
        new TrickleV2(),
        new TrickleV3(),
        new WaitThenCompute(),
        new LongRunning(),
        new CountSingle(),
        new CountThreadEach(),
        new CountThreads10(),
        new CountPool10(),
        new CountReference10(),
        new RotorGrowth(),
        new CreateThreads100(),
        new SchedulePool100(),
        new SchedulePool100Min(),
        new InjectionInterval(),
        new BarrierDefault(),
        new BarrierLongRunning(),
        new TableNet11(),
        new TableNet35(),
        new TableModern(),
        new Spin(),
        new NoisyNeighbour(),
        new CgroupThrottled(),
        new LockConvoy(),
        new HiddenLock(),
        new SteadyProgress(),
        new SpinnerAndShort(),
        new GcPauses(),
        new Cashiers(),
        new Idle(),
        new Flood(),
        new Paced(),
        new Handoff(),
    ];

    /// <summary>Workloads for tests: `run` knows them, `list` does not, and no verdict depends on them.</summary>
    public static IReadOnlyList<IWorkload> Hidden { get; } = [new ExactCounts(), new OverflowStorm()];

    /// <returns>Null if no workload has this name.</returns>
    public static IWorkload? Find(string id) => All.Concat(Hidden).FirstOrDefault(w => w.Description.Id == id);
}
