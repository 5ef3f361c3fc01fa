using Poolscope.Look.Lines;

namespace Poolscope.Look.Judging;

/// <summary>The activity of a thread: the program's method that it is in, and the call in which that method
/// waits.</summary>
/// <param name="IsWorker">True for a worker of the pool. The pool's gate and wait threads are not workers.</param>
/// <param name="InItem">True if the thread runs a work item.</param>
/// <param name="Blocked">True if the thread waits, false if it runs.</param>
/// <param name="Method">The program's method that made the call; null: the stack has no method of the program.</param>
/// <param name="Entry">The program's outermost method in the item; null: the same method, or none.</param>
/// <param name="Call">The call of that method, such as Task.Wait; null: none, or only code that has no name.</param>
/// <param name="Place">The source line of that call, such as Orders.cs:41; null: not known.</param>
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

        // A running thread is not inside a wait, whatever its stack shows: the stack may have changed while it was
        // read. A dump has no thread states. There, a native function that is not the framework's may wait or compute.
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

    /// <summary>Returns the call of the program's method, or, without such a method, the outermost call that is known
    /// to wait. Calls that the runtime compiled for a delegate do not count: no author wrote them.</summary>
    private static string? Made(List<string> library, bool hasOwn) =>
        hasOwn ? library.FindLast(name => !IsCompiled(name)) : library.FindLast(frame => Tasks.Concat(Locks).Any(start => frame.StartsWith(start, StringComparison.Ordinal))) ?? library.FirstOrDefault();

    /// <summary>Returns whether the innermost call is the framework's, apart from code that the runtime compiled for
    /// it.</summary>
    private static bool IsFrameworks(List<string> library) =>
        library.Find(name => !IsCompiled(name)) is { } innermost
        && (innermost.StartsWith("System.", StringComparison.Ordinal) || innermost.StartsWith("Microsoft.", StringComparison.Ordinal) || innermost.StartsWith("Interop", StringComparison.Ordinal));

    /// <summary>Returns whether the runtime compiled the method. Such a method has no class, or one without a
    /// name.</summary>
    private static bool IsCompiled(string name) => name.StartsWith('.') || name.StartsWith("(dynamicClass)", StringComparison.Ordinal);

    private static bool Begins(List<string> frames, string[] with) => frames.Exists(frame => with.Any(start => frame.StartsWith(start, StringComparison.Ordinal)));
}
