namespace Poolscope.Collect.Files;

/// <summary>How large a capture may become: its streams, and the tables that `decode` will make of them. Every stream asks
/// before it writes.</summary>
/// <param name="mostBytes">Of streams and tables together.</param>
/// <param name="tables">False: none will be made.</param>
public sealed class SizeLimit(long mostBytes, bool tables)
{
    /// <summary>What the kernel's rings still hold when recording ends cannot ask: a share is kept for it.</summary>
    private const int ShareAtTheEnd = 8;

    private long _taken;
    private long _ofKernel;
    private int _refused;

    /// <summary>Bytes of streams and tables, as far as is known.</summary>
    public long Taken => Interlocked.Read(ref _taken) + Interlocked.Read(ref _ofKernel);

    /// <summary>Bytes that may be asked for in all.</summary>
    public long Most { get; } = mostBytes - (mostBytes / ShareAtTheEnd);

    /// <summary>A stream was refused room, and lacks its end.</summary>
    public bool Refused => Volatile.Read(ref _refused) != 0;

    /// <summary>Largest size of the kernel's stream that leaves room for its tables.</summary>
    public long MostOfKernel => (long)(mostBytes / (1 + (tables ? TableSize.OfKernel(1, 0, "") : 0)));

    /// <summary>Takes room for bytes of a stream and for their tables.</summary>
    /// <param name="tableBytes">Of tables, for each byte of the stream: one of <see cref="TableSize"/>.</param>
    /// <returns>False: there is none; nothing was taken.</returns>
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

    /// <summary>Gives back what was taken for a file that is no more.</summary>
    public void Return(long bytes, double tableBytes) => Interlocked.Add(ref _taken, -Cost(bytes, tableBytes));

    /// <summary>Tells how far the kernel's stream is, which does not ask.</summary>
    /// <param name="tableBytes">Of the tables that will be made of it.</param>
    public void SetKernel(long bytes, double tableBytes) => Interlocked.Exchange(ref _ofKernel, bytes + (tables ? (long)tableBytes : 0));

    private long Cost(long bytes, double tableBytes) => bytes + (tables ? (long)(bytes * tableBytes) : 0);
}
