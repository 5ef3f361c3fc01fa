using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Every workload, in the order in which `list` shows them.</summary>
public static class Registry
{
    public static IReadOnlyList<IWorkload> All { get; } =
    [
        new Ticket(),
        new BatchBlock10(),
        new TrickleV1(),
        new TrickleV2(),
        new TrickleV3(),
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
    ];

    /// <returns>Null: there is no workload of this name.</returns>
    public static IWorkload? Find(string id) => All.FirstOrDefault(w => w.Description.Id == id);
}
