using Poolscope.Look.Lines;

namespace Poolscope.Look.Judging;

/// <summary>What a thread does: which of the program's methods it is in, and what that method waits for.</summary>
/// <param name="IsWorker">A worker of the pool: its gate and its wait threads are none.</param>
/// <param name="InItem">It runs a work item.</param>
/// <param name="Blocked">It waits and does not run.</param>
/// <param name="Method">The program's method that made the call; null: no method of the program is on the stack.</param>
/// <param name="Entry">The program's first method of the item, where it is another one.</param>
/// <param name="Call">What that method called, such as Task.Wait; null: nothing, or only code that has no name.</param>
/// <param name="Place">Where in its source the method made that call, such as Orders.cs:41; null: not known.</param>
public sealed record PoolThread(uint OsId, bool IsWorker, bool InItem, bool Blocked, bool OnLock, bool OnTask, string? Method, string? Entry, string? Call, IReadOnlyList<string> Frames, string? Place = null)
{
    private const string Dispatch = "System.Threading.ThreadPoolWorkQueue.Dispatch";
    private const string Worker = "System.Threading.PortableThreadPool.WorkerThread.";

    private static readonly string[] Locks = ["System.Threading.Monitor.Enter", "System.Threading.Monitor.ReliableEnter", "System.Threading.Monitor.TryEnter", "System.Threading.Lock."];

    private static readonly string[] Tasks =
    [
        "System.Threading.Tasks.Task.Wait", "System.Threading.Tasks.Task.InternalWait", "System.Threading.Tasks.Task.SpinThenBlockingWait",
        "System.Runtime.CompilerServices.TaskAwaiter.", "System.Threading.Tasks.Task<",
    ];

    public static PoolThread Of(ThreadLine thread, OwnModules own)
    {
        var names = thread.Frames.Select(frame => frame[(frame.IndexOf('!', StringComparison.Ordinal) + 1)..]).ToList();
        var dispatch = names.FindIndex(name => name.StartsWith(Dispatch, StringComparison.Ordinal));
        var depth = dispatch < 0 ? names.Count : dispatch;
        var inner = thread.Frames.Take(depth).ToList();
        var first = inner.FindIndex(own.Has);
        var last = inner.FindLastIndex(own.Has);
        var inItem = dispatch > 0;
        var library = names.Take(first < 0 ? depth : first).ToList();

        // A running thread is not inside a wait: its stack may have changed while it was read. For a dump, which has no states, a
        // native function that is not the framework's may wait or compute.
        var blocked = thread.State is null ? thread.Native && IsFrameworks(library) : thread.State is not ("R" or "Z" or "X");
        return new PoolThread(
            thread.OsId,
            dispatch >= 0 || names.Exists(name => name.StartsWith(Worker, StringComparison.Ordinal)),
            inItem,
            blocked,
            blocked && Begins(library, Locks),
            blocked && Begins(library, Tasks),
            first < 0 ? null : names[first],
            last > first ? names[last] : null,
            Made(library, hasOwn: first >= 0),
            names,
            first < 0 ? null : thread.Places?.ElementAtOrDefault(first));
    }

    /// <summary>The call of the program's method; without such a method, the outermost call that is known to wait. What the runtime
    /// compiled for a delegate is no call that anybody wrote.</summary>
    private static string? Made(List<string> library, bool hasOwn) =>
        hasOwn ? library.FindLast(name => !IsCompiled(name)) : library.FindLast(frame => Tasks.Concat(Locks).Any(start => frame.StartsWith(start, StringComparison.Ordinal))) ?? library.FirstOrDefault();

    /// <summary>Whether the innermost call, but for what the runtime compiles for it, is the framework's.</summary>
    private static bool IsFrameworks(List<string> library) =>
        library.Find(name => !IsCompiled(name)) is { } innermost
        && (innermost.StartsWith("System.", StringComparison.Ordinal) || innermost.StartsWith("Microsoft.", StringComparison.Ordinal) || innermost.StartsWith("Interop", StringComparison.Ordinal));

    /// <summary>Whether the runtime made the method, which then has no class or one without a name.</summary>
    private static bool IsCompiled(string name) => name.StartsWith('.') || name.StartsWith("(dynamicClass)", StringComparison.Ordinal);

    private static bool Begins(List<string> frames, string[] with) => frames.Exists(frame => with.Any(start => frame.StartsWith(start, StringComparison.Ordinal)));
}
