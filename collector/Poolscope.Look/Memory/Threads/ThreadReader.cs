using Microsoft.Diagnostics.Runtime;
using Poolscope.Look.Lines;

namespace Poolscope.Look.Memory.Threads;

/// <summary>Reads the stacks of threads. The process runs meanwhile: a thread that ends while its stack is walked can
/// end the reader.</summary>
internal static class ThreadReader
{
    private const string OutOfManaged = "InlinedCallFrame";
    private const string Compiled = "(dynamicClass)"; // by the runtime, such as a stub for a native function
    private const int PoolThread = 0x0100_0000; // TS_TPWorkerThread

    /// <summary>Returns the threads, those of the pool first, without the runtime's threads that run no managed
    /// code.</summary>
    public static IReadOnlyList<ClrThread> Of(ClrRuntime runtime, LookLimits limits) =>
        [.. runtime.Threads.Take(limits.Threads).Where(thread => thread.IsAlive && !thread.IsFinalizer && !thread.IsGc).OrderByDescending(IsPool)];

    /// <param name="state">The kernel's letter for the thread's state; null: not known.</param>
    /// <returns>The thread, and the address of its innermost frame; 0: it has none.</returns>
    public static (ThreadLine Line, ulong Top) Read(ClrThread thread, LookLimits limits, string? state, InlinedActions actions, SourcePlaces sources)
    {
        List<string> frames = [];
        List<string?> places = [];
        var top = 0UL;
        var below = 0UL;
        foreach (var frame in thread.EnumerateStackTrace(false, limits.Frames))
        {
            top = top == 0 ? frame.StackPointer : top;
            if (frame.Method is { Type: { } type } method)
            {
                if (InlinedActions.Calls(type.Name ?? "") && actions.Above(below) is { Type: not null } action && !frames.Exists(made => Written(made) == Written(action)))
                {
                    Add(action.Type.Module?.Name, action, null);
                }

                // A call out of managed code is no method of the program; the method that makes the call is.
                Add(frame.FrameName == OutOfManaged || type.Name == Compiled ? null : type.Module?.Name, method, sources.Of(frame, below == 0));
            }

            below = frame.StackPointer;
        }

        return (new ThreadLine(thread.OSThreadId, thread.ManagedThreadId, IsPool(thread), state, thread.GCMode == GCMode.Preemptive, frames, places.Exists(place => place is not null) ? places : null), top);

        // A call out of managed code shows the same method once more; it is added once.
        void Add(string? module, ClrMethod method, string? place)
        {
            var name = Written(method);
            if (frames.Count == 0 || Written(frames[^1]) != name)
            {
                frames.Add($"{Path.GetFileNameWithoutExtension(module)}!{name}");
                places.Add(place);
            }
            else
            {
                places[^1] ??= place;
            }
        }
    }

    private static string Written(ClrMethod method) => WrittenName.Of($"{method.Type!.Name}.{method.Name}");

    private static string Written(string frame) => frame[(frame.IndexOf('!', StringComparison.Ordinal) + 1)..];

    public static bool IsPool(ClrThread thread) => ((int)thread.State & PoolThread) != 0;
}
