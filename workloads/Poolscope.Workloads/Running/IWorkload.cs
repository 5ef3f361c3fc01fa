namespace Poolscope.Workloads.Running;

/// <summary>One experiment. An implementation is one file in Experiments/, listed in
/// <see cref="Experiments.Registry"/>.</summary>
public interface IWorkload
{
    /// <summary>Its name, the published results, and the verdicts that the analysis is expected to give.</summary>
    WorkloadDescription Description { get; }

    /// <summary>Returns the size of a run if no option changes it.</summary>
    /// <param name="full">True for the published size; false for a scaled one, so that all workloads together take
    /// minutes.</param>
    RunSettings Defaults(bool full);

    /// <summary>Returns the size of a variant: <paramref name="defaults"/> with its differences.</summary>
    /// <param name="leg">Number of the variant, from 1 to the number of legs in the description.</param>
    RunSettings ForLeg(RunSettings defaults, int leg) => defaults with { Leg = leg };

    /// <summary>Whether its items run on the pool. If not, they run on threads of their own, no pool event belongs to
    /// them, and their truth is not written.</summary>
    bool QueuesToPool => true;

    /// <summary>The pool that it runs on if the user chooses none.</summary>
    string DefaultPool => PoolChoice.RuntimeName;

    /// <summary>Queues every item and returns when all have ended. Called on the main thread. Must not add pool work of
    /// its own beside the items.</summary>
    /// <exception cref="WorkloadFailedException">The run could not be carried out.</exception>
    void Run(WorkloadRun run);
}

/// <summary>The run could not be carried out; the message is one line for the user.</summary>
public sealed class WorkloadFailedException(string message) : Exception(message);
