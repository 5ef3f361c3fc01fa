using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Stacks;
using Poolscope.Tables;

namespace Poolscope.Decode.Streams;

/// <summary>Table `snapshots` of a file that another tool recorded with the runtime's profiler on: one row for each of its
/// samples. It stops all threads at a beat, every ten milliseconds by default, and takes one of each.</summary>
internal sealed class SampledStacks(StackTables stacks)
{
    private const string SampleProfiler = "Microsoft-DotNETCore-SampleProfiler";

    public Table Table { get; } = Table.Create("snapshots");

    public void Add(EventKind kind, int tid, long time, ReadOnlySpan<byte> stack)
    {
        if (kind is { Provider: SampleProfiler, EventId: 0 })
        {
            Table.Int64("time").Add(time);
            Table.Int32("tid").Add(tid);
            Table.Int32("stack").Add(stacks.Intern(stack, time));
        }
    }
}
