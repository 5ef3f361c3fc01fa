namespace Poolscope.Decode.Tests.Scheduler;

/// <summary>Settings of recordings that a test makes of its own process.</summary>
internal static class OwnRecording
{
    /// <summary>Ring size per CPU. The thread that empties the rings competes with the test's threads and the machine's
    /// other work: with 1 MiB and eight runnable threads per core, 14,000 events of one run were lost.</summary>
    internal const int RingBytes = 16 << 20;
}
