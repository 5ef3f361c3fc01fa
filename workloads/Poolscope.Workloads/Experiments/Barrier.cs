namespace Poolscope.Workloads.Experiments;

internal static class Barrier
{
    public static void SignalAndWait(CountdownEvent arrived)
    {
        arrived.Signal();
        arrived.Wait();
    }
}
