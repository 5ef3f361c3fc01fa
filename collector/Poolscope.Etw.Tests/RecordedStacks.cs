using Poolscope.Etw.Reading;

namespace Poolscope.Etw.Tests;

/// <summary>Logs events of the runtime, and stacks of addresses, as lines.</summary>
internal sealed class RecordedStacks : IRuntimeEventStream
{
    public List<string> Lines { get; } = [];

    public void Event(Guid provider, int id, long time, int tid, Guid activity, Guid related, int pointerSize, ReadOnlySpan<byte> payload) =>
        Lines.Add($"event {id} {time} {tid} {payload.Length}");

    public void Stack(Guid provider, int id, long time, int tid, ReadOnlySpan<TraceFrame> frames) => throw new NotSupportedException();

    public void Stack(Guid provider, int id, long time, int tid, ReadOnlySpan<ulong> addresses) => Lines.Add($"{id} {time} {tid}:{Text(addresses)}");

    public void BlockedAt(long since, int tid, ReadOnlySpan<TraceFrame> frames) => throw new NotSupportedException();

    public void BlockedAt(long since, int tid, ReadOnlySpan<ulong> addresses) => Lines.Add($"blocked {since} {tid}:{Text(addresses)}");

    private static string Text(ReadOnlySpan<ulong> addresses)
    {
        var text = "";
        foreach (var address in addresses)
        {
            text += $" {address:x}";
        }

        return text;
    }
}
