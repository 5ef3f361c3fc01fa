using System.Globalization;
using Poolscope.Collect.Terminal;
using Poolscope.Decode.Live;

namespace Poolscope.Collect.Watching;

/// <summary>The quantity that a term compares.</summary>
public enum WatchKey
{
    /// <summary>The time that a work item waited, or has waited so far, in ns.</summary>
    Wait,

    /// <summary>The work items in the queues.</summary>
    Queue,

    /// <summary>The worker threads.</summary>
    Threads,

    /// <summary>The worker threads that the pool wants.</summary>
    Goal,

    /// <summary>The time that a request has been in the application, in ns.</summary>
    Request,

    /// <summary>The time a thread was ready without a core, in ns: its waits that ended within half a second.</summary>
    Ready,

    /// <summary>The pool adds threads because no item began for half a second.</summary>
    Starvation,
}

/// <summary>One comparison of a condition.</summary>
/// <param name="Text">The term as typed.</param>
/// <param name="OrEqual">Whether the limit itself is enough.</param>
/// <param name="Limit">The limit, in ns for durations; not used for <see cref="WatchKey.Starvation"/>.</param>
/// <param name="For">The time for which the term must hold without a break; zero if one sample is enough.</param>
public sealed record WatchTerm(string Text, WatchKey Key, bool OrEqual, long Limit, TimeSpan For)
{
    /// <summary>The time that starvation lasts after the pool has added a thread because of it. The pool checks every
    /// 500 ms and adds at most two threads a second.</summary>
    private static readonly TimeSpan StarvationLasts = TimeSpan.FromSeconds(1.5);

    /// <summary>The time until the pool adds a thread: it does so if nothing began for half a second, and checks every
    /// half second.</summary>
    private static readonly TimeSpan UntilStarvation = TimeSpan.FromSeconds(1);

    /// <returns>Whether the term holds now, regardless of `for`. A term on an unknown value does not hold.</returns>
    public bool Holds(in PoolSample sample) => Key switch
    {
        WatchKey.Starvation => sample.StarvationNs >= 0 && sample.NowNs - sample.StarvationNs < StarvationLasts.TotalNanoseconds,
        WatchKey.Wait => Exceeds(sample.WaitNs),
        WatchKey.Queue => Exceeds(sample.Queue),
        WatchKey.Threads => Exceeds(sample.Threads),
        WatchKey.Request => Exceeds(sample.RequestNs),
        WatchKey.Ready => Exceeds(sample.ReadyNs),
        _ => Exceeds(sample.Goal),
    };

    /// <summary>The least time for which the incident has gone on when the term holds.</summary>
    public TimeSpan Lead => For + Key switch
    {
        WatchKey.Wait or WatchKey.Request or WatchKey.Ready => TimeSpan.FromTicks(Limit / TimeSpan.NanosecondsPerTick),
        WatchKey.Starvation => UntilStarvation,
        _ => TimeSpan.Zero,
    };

    private bool Exceeds(long value) => value >= 0 && (OrEqual ? value >= Limit : value > Limit);
}

/// <summary>The condition that a watcher waits for. It holds if one of its terms holds.</summary>
/// <param name="Text">The condition as typed.</param>
public sealed record WatchCondition(string Text, IReadOnlyList<WatchTerm> Terms)
{
    public const string Default = "wait>5s or starvation";

    /// <summary>The first words of the conditions that only `poolscope check` has (traces/command-line.json).</summary>
    private static readonly string[] OfCaptures =
        ["wait", "request", "completion", "injection", "blocking", "core", "runtime", "share", "removable", "execution", "incident", "incidents", "late-requests"];

    private static readonly TimeSpan Longest = TimeSpan.FromHours(1);

    /// <summary>The time from an incident's beginning to the wait that shows it. The cause of a wait comes before the
    /// item, and the runtime delivers its events up to a second late. In ten bursts, `wait>1s` held 2.2 to 3.2 s after
    /// the first request.</summary>
    private static readonly TimeSpan Onset = TimeSpan.FromSeconds(3);

    /// <summary>The time for which an incident may have gone on when the watcher sees it.</summary>
    public TimeSpan Lead => Terms.Max(term => term.Lead) + Onset;

    /// <summary>Whether the watcher must read from the kernel how long threads were ready.</summary>
    public bool NeedsReady => Terms.Any(term => term.Key == WatchKey.Ready);

    /// <param name="complaint">The error, or null if there is none.</param>
    /// <returns>Null if the text is no condition.</returns>
    public static WatchCondition? Parse(string text, out string? complaint)
    {
        var terms = new List<WatchTerm>();
        foreach (var part in $" {text} ".Split(" or "))
        {
            if (Term(part.Trim(), out complaint) is not { } term)
            {
                return null;
            }

            terms.Add(term);
        }

        complaint = null;
        return new WatchCondition(text.Trim(), terms);
    }

    private static WatchTerm? Term(string text, out string? complaint)
    {
        complaint = null;
        var comparison = text.Split(" for ", 2);
        var lasts = TimeSpan.Zero;
        if (comparison.Length == 2)
        {
            if (Duration.Parse(comparison[1]) is not { } ns || ns <= 0 || ns > Longest.TotalNanoseconds)
            {
                complaint = $"--when: `for` takes a duration of at most an hour, such as 10s, not {comparison[1].Trim()}";
                return null;
            }

            lasts = TimeSpan.FromTicks(ns / TimeSpan.NanosecondsPerTick);
        }

        var bare = comparison[0].Trim();
        if (bare == "starvation")
        {
            return new WatchTerm(text, WatchKey.Starvation, OrEqual: false, 0, lasts);
        }

        var at = bare.IndexOfAny(['>', '<', '=', '!']);
        var name = at < 0 ? bare : bare[..at].Trim();
        if (Key(name) is not { } key)
        {
            complaint = OfCaptures.Contains(name.Split('.')[0])
                ? $"--when: {name} is known only of a capture: poolscope check CAPTURE --fail-on '{bare}'"
                : $"--when: there is no {(name.Length > 0 ? name : "empty condition")}; wait, queue, threads, goal, request, ready and starvation can be watched, such as: {Default}";
            return null;
        }

        var orEqual = at >= 0 && bare[at..].StartsWith(">=", StringComparison.Ordinal);
        var value = at < 0 ? "" : bare[(at + (orEqual ? 2 : 1))..].Trim();
        if (at < 0 || bare[at] != '>')
        {
            complaint = $"--when: {name} is compared by > or >=, such as {Example(key)}";
            return null;
        }

        if ((IsDuration(key) ? Duration.Parse(value) : Number(value)) is { } limit)
        {
            if (key == WatchKey.Request && limit >= PoolSample.LongestRequestNs)
            {
                complaint = $"--when: request is compared with less than 5m, such as {Example(key)}, not {value}: Poolscope treats a longer request as a stream";
                return null;
            }

            return new WatchTerm(text, key, orEqual, limit, lasts);
        }

        complaint = $"--when: {name} is compared with {(IsDuration(key) ? "a duration and its unit" : "a whole number")}, such as {Example(key)}, not {(value.Length > 0 ? value : "nothing")}";
        return null;
    }

    /// <summary>Returns the key of a name. A watcher compares the longest wait, which `poolscope check` also calls
    /// wait.max.</summary>
    private static WatchKey? Key(string name) => name switch
    {
        "wait" or "wait.max" => WatchKey.Wait,
        "queue" => WatchKey.Queue,
        "threads" => WatchKey.Threads,
        "goal" => WatchKey.Goal,
        "request" or "request.max" => WatchKey.Request,
        "ready" => WatchKey.Ready,
        _ => null,
    };

    private static bool IsDuration(WatchKey key) => key is WatchKey.Wait or WatchKey.Request or WatchKey.Ready;

    private static string Example(WatchKey key) => key switch
    {
        WatchKey.Wait => "wait>5s",
        WatchKey.Queue => "queue>1000",
        WatchKey.Threads => "threads>=100",
        WatchKey.Request => "request>2s",
        WatchKey.Ready => "ready>50ms",
        _ => "goal>=100",
    };

    private static long? Number(string text) => int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : null;
}
