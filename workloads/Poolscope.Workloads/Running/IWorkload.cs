namespace Poolscope.Workloads.Running;

/// <summary>One experiment. An implementation is one file in Experiments/, listed in
/// <see cref="Experiments.Registry"/>.</summary>
public interface IWorkload
{
    /// <summary>What it is called, what was published about it, and what the analysis is expected to say.</summary>
    WorkloadDescription Description { get; }

    /// <summary>The size that a run has when no option changes it.</summary>
    /// <param name="full">True: the published size. False: scaled, so that all workloads together take minutes.</param>
    RunSettings Defaults(bool full);

    /// <summary>The size that a variant has: <paramref name="defaults"/> with what differs.</summary>
    /// <param name="leg">From 1 to the number of legs in the description.</param>
    RunSettings ForLeg(RunSettings defaults, int leg) => defaults with { Leg = leg };

    /// <summary>False: its items run on threads of their own, so that no pool event belongs to them and no truth of
    /// them is written.</summary>
    bool QueuesToPool => true;

    /// <summary>The pool that it runs on where the user chooses none.</summary>
    string DefaultPool => PoolChoice.RuntimeName;

    /// <summary>Queues every item and returns when all have ended. Called on the main thread; must not add pool work
    /// of its own beside the items.</summary>
    /// <exception cref="WorkloadFailedException">It could not be carried out.</exception>
    void Run(WorkloadRun run);
}

/// <summary>The run could not be carried out; the message is one line for the user.</summary>
public sealed class WorkloadFailedException(string message) : Exception(message);
