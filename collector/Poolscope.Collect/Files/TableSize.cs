namespace Poolscope.Collect.Files;

/// <summary>Estimates the largest size of a stream's tables from the stream's size while it is recorded. Rows have a
/// fixed size (traces/schema.json). The bytes of the events behind a row were measured: docs/faults.md.</summary>
internal static class TableSize
{
    /// <summary>The factor for each byte of the runtime stream. An item's row of 80 bytes for two events of 14 to 20
    /// bytes each would be 3. Tables of more than 16,384 rows are packed, and 0.5 to 0.9 were measured. Smaller ones
    /// stay within the share that is kept for the end.</summary>
    public const double OfRuntime = 1.5;

    /// <summary>The same if every event carries a stack.</summary>
    public const double OfRuntimeWithStacks = 1.0;

    /// <summary>The factor for each byte of waits or snapshots, which are mostly stacks.</summary>
    public const double OfStacks = 0.5;

    /// <summary>The factor for each byte of a rundown: only methods that appear in a stack have a row.</summary>
    public const double OfSymbols = 0.2;

    /// <summary>The bytes for each event of the tracepoint tier: a switch and the states of two threads, or a wake-up
    /// and one state. 31 to 35 were measured in packed tables, 49 to 75 in smaller ones.</summary>
    private const double OfSchedulerEvent = 45;

    /// <summary>The factor for each byte of a stream that has a row of 36 bytes for a record of 24 to 40.</summary>
    private const double OfSmallRecord = 1.5;

    /// <param name="bytes">The bytes of the kernel's stream so far.</param>
    /// <param name="events">The events in it, or 0 if unknown.</param>
    /// <param name="tier">The tier, as in <see cref="Kernel.IKernelStream.Tier"/>.</param>
    /// <returns>The bytes of its tables.</returns>
    public static double OfKernel(long bytes, long events, string tier) =>
        tier == "tracepoint" && events > 0 ? events * OfSchedulerEvent : bytes * OfSmallRecord;
}
