using System.Globalization;
using Microsoft.Diagnostics.Runtime;

namespace Poolscope.Look;

/// <summary>Reads every thread's stack, and says what it waits for and whose method it is in.</summary>
internal static class StackReader
{
    private const string Dispatch = "System.Threading.ThreadPoolWorkQueue.Dispatch";

    /// <summary>Calls that block. The outermost one of a stack is the call that the own code made.</summary>
    private static readonly string[] Blocking =
    [
        "System.Threading.Tasks.Task.Wait", "System.Threading.Tasks.Task.InternalWait", "System.Runtime.CompilerServices.TaskAwaiter",
        "System.Threading.Monitor.", "System.Threading.Lock.Enter", "System.Threading.Thread.Sleep", "System.Threading.Thread.Join",
        "System.Threading.WaitHandle.", "System.Threading.SemaphoreSlim.Wait", "System.Threading.ManualResetEventSlim.Wait",
        "System.Threading.CountdownEvent.Wait", "System.Threading.Barrier.SignalAndWait", "System.Threading.ReaderWriterLockSlim.",
        "System.Threading.SpinWait.", "System.Net.Sockets.Socket.",
    ];

    public static IReadOnlyList<ThreadReading> Read(ClrRuntime runtime, LookLimits limits, int? pid, Func<bool> expired)
    {
        var found = new List<ThreadReading>();
        foreach (var thread in runtime.Threads.Take(limits.Threads))
        {
            if (expired())
            {
                break;
            }

            if (thread.IsAlive)
            {
                var stack = thread.EnumerateStackTrace(false, limits.Frames).Select(frame => frame.Method)
                    .Where(method => method?.Type is not null).Select(method => $"{method!.Type!.Name}.{method.Name}").ToList();
                found.Add(Of(thread.OSThreadId, thread.ManagedThreadId, Name(pid, thread.OSThreadId), stack));
            }
        }

        return found;
    }

    internal static ThreadReading Of(uint osId, int managedId, string? name, IReadOnlyList<string> stack)
    {
        var inner = stack.TakeWhile(frame => !frame.StartsWith(Dispatch, StringComparison.Ordinal)).ToList();
        var inItem = inner.Count < stack.Count && inner.Count > 0;
        var own = inner.FindIndex(frame => !frame.StartsWith("System.", StringComparison.Ordinal) && !frame.StartsWith("Microsoft.", StringComparison.Ordinal));
        var library = own < 0 ? inner : inner[..own];
        var waits = library.LastOrDefault(frame => Blocking.Any(call => frame.StartsWith(call, StringComparison.Ordinal)));
        return new ThreadReading(osId, managedId, name, inItem, waits, own < 0 ? null : inner[own], stack);
    }

    private static string? Name(int? pid, uint osId)
    {
        try
        {
            return pid is { } id ? File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/{id}/task/{osId}/comm")).Trim() : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
