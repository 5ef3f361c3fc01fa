namespace Poolscope.Decode.Tests.Live;

/// <summary>A work item with a chosen work id. The runtime's own hash codes are never negative, so negative ones
/// distinguish a test's items from everything else that the process queues.</summary>
internal sealed class Hashed(int hash, Action run) : IThreadPoolWorkItem
{
    public override int GetHashCode() => hash;

    public void Execute() => run();
}
