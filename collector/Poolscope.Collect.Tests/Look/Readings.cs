using Poolscope.Look.Judging;
using Poolscope.Look.Lines;

namespace Poolscope.Collect.Tests.Look;

/// <summary>Makes readings in the format of a reader.</summary>
internal static class Readings
{
    public const string Sleep = "System.Private.CoreLib!System.Threading.Thread.Sleep";
    public const string TaskWait = "System.Private.CoreLib!System.Threading.Tasks.Task.Wait";
    public const string MonitorEnter = "System.Private.CoreLib!System.Threading.Monitor.Enter";
    private const string Dispatch = "System.Private.CoreLib!System.Threading.ThreadPoolWorkQueue.Dispatch";
    private const string Start = "System.Private.CoreLib!System.Threading.PortableThreadPool.WorkerThread.WorkerThreadStart";

    private static readonly OwnModules Own = new(["shop"], []);

    /// <param name="min">Minimum; max, goal, active and idle follow.</param>
    public static LookLine Pool(int min, int max, int goal, int active, int idle, long? completed = null, long at = 0) =>
        new() { Pool = new PoolLine(min, max, goal, active, idle, completed, at) };

    public static LookLine Queue(int length, long taken = 0, string method = "Shop.Orders.Get") => new()
    {
        Queues = new QueuesLine([new QueueLine("global", length, taken)], length == 0 ? [] : [new QueuedItems(method, "delegate", length)], true),
    };

    /// <summary>Returns workers inside items whose own method made this call; null if they compute.</summary>
    public static IEnumerable<LookLine> Inside(int count, string? call, string method = "shop!Shop.Orders.Get") =>
        Enumerable.Range(100, count).Select(id => Thread((uint)id, call is null ? "R" : "S", [.. call is null ? (string[])[] : [call], method, Dispatch, Start]));

    public static IEnumerable<LookLine> Idle(int count) =>
        Enumerable.Range(500, count).Select(id => Thread((uint)id, "S", ["System.Private.CoreLib!System.Threading.LowLevelLifoSemaphore.WaitForSignal", Start]));

    public static LookLine Thread(uint id, string? state, string[] frames) => new() { Thread = new ThreadLine(id, (int)id, true, state, true, frames) };

    public static LookReading Read(params IEnumerable<LookLine> lines)
    {
        var reading = new LookReading();
        var all = lines.ToList();
        reading.Add(new LookLine { Threads = all.Count(line => line.Thread is not null) });
        all.ForEach(reading.Add);
        return reading;
    }

    public static PoolView View(params IEnumerable<LookLine> lines) => new(Read(lines), Own);
}
