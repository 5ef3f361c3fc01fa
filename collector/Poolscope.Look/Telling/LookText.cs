using Poolscope.Look.Judging;
using Poolscope.Look.Lines;

namespace Poolscope.Look.Telling;

/// <summary>Formats a look as plain text: an answer in one sentence, tables, and the verdict.</summary>
public static class LookText
{
    private const int Rows = 10;
    private const int WidestMethod = 76;

    /// <summary>The share of the queue from which on the named items count as all of it: the rest moved while it was
    /// read.</summary>
    private const double NearlyAll = 0.9;

    /// <summary>Returns the answer of one view, as a sentence.</summary>
    public static string Answer(PoolView view)
    {
        var pool = view.Reading.Pool;
        List<string> parts = [];
        if (view.NotRead >= 1)
        {
            parts.Add("what the threads do was not read");
        }
        else
        {
            parts.Add($"{(view.Reading.ThreadsNotRead > 0 ? "about " : "")}{view.Inside:N0} of {Math.Max(view.Workers.Count, pool?.Threads ?? 0):N0} threads are inside items");
            if (view.BlockedIn is [var most, ..])
            {
                parts.Add($"{most.Count:N0} {(most.Count == 1 ? "blocks" : "block")} {Place(most.Thread)}");
            }
        }

        if (view.Reading.Queues is { } queues)
        {
            parts.Add(Queued(queues));
        }

        if (pool is { Minimum: { } least, Maximum: { } greatest })
        {
            parts.Add($"the minimum is {least:N0}, the maximum {greatest:N0}");
        }

        var text = string.Join("; ", parts) + ".";
        return char.ToUpperInvariant(text[0]) + text[1..];
    }

    private static string Queued(QueuesLine queues)
    {
        var about = queues.Complete ? "" : "about ";
        var queued = queues.Length switch
        {
            0 => "nothing is queued",
            1 => "1 item is queued",
            var length => $"{about}{length:N0} items are queued",
        };
        if (queues.Length == 0 || queues.Items is not [var most, ..])
        {
            return queued;
        }

        var name = ItemWords.Many(most.Method);
        return queued + (queues.Length == 1 ? $", {name}"
            : most.Count >= queues.Length ? $", all of them {name}"
            : queues.Named >= NearlyAll * queues.Length ? $", {most.Count:N0} of them {name}"
            : $"; of the first {queues.Named:N0}, {most.Count:N0} are {name}");
    }

    public static IEnumerable<string> Tables(PoolView view)
    {
        var pool = view.Reading.Pool;
        yield return "";
        yield return $"limits    minimum {Number(pool?.Minimum)}, maximum {Number(pool?.Maximum)}, goal {Number(pool?.Goal)}, active {Number(pool?.Active)}, idle {Number(pool?.Idle)}";
        if (view.Reading.Queues is { Length: > 0 } queues)
        {
            yield return "";
            yield return "queued    what";
            foreach (var item in queues.Items.Take(Rows))
            {
                yield return $"{item.Count,6:N0}    {Cut(item.Method)} ({item.Kind})";
            }

            var rest = queues.Length - queues.Items.Take(Rows).Sum(item => item.Count);
            if (rest > 0)
            {
                yield return $"{rest,6:N0}    others";
            }
        }

        if (view.Groups is { Count: > 0 } groups)
        {
            yield return "";
            yield return "threads   inside";
            foreach (var group in groups.Take(Rows))
            {
                yield return $"{group.Count,6:N0}    {Line(group.Thread)}";
            }

            var rest = groups.Skip(Rows).Sum(group => group.Count);
            if (rest > 0)
            {
                yield return $"{rest,6:N0}    others";
            }
        }

        if (view.Reading.ThreadsNotRead > 0 || view.Reading.ThreadCount is null)
        {
            yield return "";
            yield return $"Not read: the stacks of {(view.Reading.ThreadCount is null ? "all" : $"{view.Reading.ThreadsNotRead:N0} of {view.Reading.ThreadCount:N0}")} threads. Threads started or ended meanwhile, or time ran out.";
        }

        foreach (var held in view.Reading.Locks.Where(held => held.Waiting > 0).OrderByDescending(held => held.Waiting).Take(Rows))
        {
            yield return $"lock      {held.Type}: {held.Waiting:N0} wait{Holder(held, view)}";
        }
    }

    /// <summary>Returns a line for each group of late timers.</summary>
    public static IEnumerable<string> Timers(PoolView view) => view.Reading.Timers.Take(Rows)
        .Select(timer => $"timer     {ItemWords.Short(timer.Method)}: {timer.Count:N0} should have fired, {timer.LateMs:N0} ms ago at most");

    /// <summary>Says whether anything moved between the two looks, or returns null if there was one look.</summary>
    public static string? Movement(PoolLook look)
    {
        if (look.Second is not { } second || look.Apart is not { } apart)
        {
            return null;
        }

        var queue = $"the queue went from {look.First.Queued:N0} to {second.Queued:N0}";
        return look switch
        {
            { Ended: 0, Taken: false } => $"Nothing moved within {apart:0.0} s: no item ended or started; {queue}.",
            { Ended: { } ended } => $"Within {apart:0.0} s {ended:N0} {(ended == 1 ? "item" : "items")} ended; {queue}.",
            _ => $"Within {apart:0.0} s {queue}.",
        };
    }

    /// <summary>Returns the verdict, its reason and the next step.</summary>
    public static IEnumerable<string> Verdict(LookVerdict verdict, string next)
    {
        yield return $"verdict: {verdict.Id} (confidence: {verdict.Confidence})";
        yield return verdict.Why;
        yield return next;
    }

    private static string Holder(LockLine held, PoolView view) =>
        held.Owner is not { } owner ? "" : $", thread {owner} holds it{(view.Of(owner) is { } thread ? $": {Line(thread)}" : "")}";

    private static string Line(PoolThread thread) =>
        (thread.Method is { } method ? Cut(method) + Source(thread) : "no method of the program")
        + (thread.Blocked ? $" waits{(thread.Call is { } call ? $" in {ItemWords.Short(call)}" : "")}" : " runs")
        + (thread.Entry is { } entry ? $", called by {ItemWords.Short(entry)}" : "");

    private static string Place(PoolThread thread) =>
        $"in {(thread.Method is { } method ? ItemWords.Short(method) + Source(thread) : "code of libraries")}{(thread.Call is { } call ? $" on {ItemWords.Short(call)}" : "")}";

    private static string Source(PoolThread thread) => thread.Place is { } place ? $" ({place})" : "";

    private static string Cut(string method) => method.Length <= WidestMethod ? method : "..." + method[^(WidestMethod - 3)..];

    private static string Number(int? value) => value is { } known ? $"{known:N0}" : "not known";
}
