namespace Poolscope.Collect.Files;

/// <summary>Limits the size of a capture: its streams, and the tables that `decode` will make from them. Every stream
/// requests room before it writes.</summary>
/// <param name="mostBytes">The limit of streams and tables together.</param>
/// <param name="tables">Whether tables will be made.</param>
public sealed class SizeLimit(long mostBytes, bool tables)
{
    /// <summary>One part in this many is kept for the end: events still in the kernel's rings request no
    /// room.</summary>
    private const int ShareAtTheEnd = 8;

    private long _taken;
    private long _ofKernel;
    private int _refused;

    /// <summary>The bytes of streams and tables, as far as they are known.</summary>
    public long Taken => Interlocked.Read(ref _taken) + Interlocked.Read(ref _ofKernel);

    /// <summary>The most bytes that streams may request in all.</summary>
    public long Most { get; } = mostBytes - (mostBytes / ShareAtTheEnd);

    /// <summary>Whether a stream was refused room, so that it lacks its end.</summary>
    public bool Refused => Volatile.Read(ref _refused) != 0;

    /// <summary>The largest size of the kernel's stream that leaves room for its tables.</summary>
    public long MostOfKernel => (long)(mostBytes / (1 + (tables ? TableSize.OfKernel(1, 0, "") : 0)));

    /// <summary>Takes room for bytes of a stream and for their tables.</summary>
    /// <param name="tableBytes">The bytes of tables for each byte of the stream: one of
    /// <see cref="TableSize"/>.</param>
    /// <returns>False if there is no room. Nothing is taken then.</returns>
    public bool TryTake(long bytes, double tableBytes)
    {
        var cost = Cost(bytes, tableBytes);
        if (Interlocked.Add(ref _taken, cost) + Interlocked.Read(ref _ofKernel) <= Most)
        {
            return true;
        }

        Interlocked.Add(ref _taken, -cost);
        Volatile.Write(ref _refused, 1);
        return false;
    }

    /// <summary>Releases the room that a deleted file took.</summary>
    public void Return(long bytes, double tableBytes) => Interlocked.Add(ref _taken, -Cost(bytes, tableBytes));

    /// <summary>Sets the current size of the kernel's stream, which requests no room.</summary>
    /// <param name="tableBytes">The bytes of the tables that will be made from it.</param>
    public void SetKernel(long bytes, double tableBytes) => Interlocked.Exchange(ref _ofKernel, bytes + (tables ? (long)tableBytes : 0));

    private long Cost(long bytes, double tableBytes) => bytes + (tables ? (long)(bytes * tableBytes) : 0);
}
