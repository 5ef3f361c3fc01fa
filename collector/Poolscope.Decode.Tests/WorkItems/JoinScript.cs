using System.Globalization;
using Poolscope.Decode.WorkItems;
using Xunit;

namespace Poolscope.Decode.Tests.WorkItems;

/// <summary>Runs events given as lines of text, and checks the work items against lines of text. An event is `time tid
/// verb argument`; an item is `workId | enqueue@tid | dequeue@tid | end how | task | parent | flags`.</summary>
internal static class JoinScript
{
    public static void Gives(string events, string expected, Func<int, long, long>? exit = null) =>
        Assert.Equal(Lines(expected), Render(Run(events, exit).Items));

    public static WorkItemJoin Run(string events, Func<int, long, long>? exit = null)
    {
        var join = new WorkItemJoin();
        foreach (var line in Lines(events))
        {
            Apply(join, line.Split(' ', StringSplitOptions.RemoveEmptyEntries));
        }

        join.Finish(exit ?? ((_, _) => -1));
        return join;
    }

    public static IEnumerable<string> Render(WorkItemTable items) => Enumerable.Range(0, items.Count).Select(row => string.Join(
        " | ",
        items.WorkId[row],
        At(items.Enqueue[row], items.EnqueueTid[row]),
        (items.HowDequeued(row) == DequeueKnown.TaskStarted ? "inline " : "") + At(items.Dequeue[row], items.WorkerTid[row]),
        items.HowEnded(row) == EndKnown.Absent ? "-" : $"{items.End[row]} {items.HowEnded(row)}",
        items.TaskId[row] < 0 ? "-" : $"task {items.TaskId[row]}",
        items.Parent[row] < 0 ? "-" : $"in {items.Parent[row]}",
        items.Flags(row)));

    private static string At(long time, int tid) => time < 0 ? "-" : $"{time}@{tid}";

    private static string[] Lines(string text) =>
        text.Split('\n', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);

    private static void Apply(WorkItemJoin join, string[] words)
    {
        var (time, tid) = (Number(words[0]), (int)Number(words[1]));
        var argument = words.Length > 3 ? Number(words[3]) : -1;
        switch (words[2])
        {
            case "enqueue": join.Enqueue(time, tid, argument); break;
            case "dequeue": join.Dequeue(time, tid, argument); break;
            case "scheduled": join.TaskScheduled(tid, (int)argument, options: 0); break;
            case "long-running": join.TaskScheduled(tid, (int)argument, options: (int)TaskCreationOptions.LongRunning); break;
            case "started": join.TaskStarted(time, tid, (int)argument); break;
            case "completed": join.TaskCompleted(time, tid, (int)argument); break;
            case "start": join.WorkerStart(time, tid); break;
            case "park": join.WorkerPark(time, tid); break;
            case "stop": join.WorkerStop(time, tid); break;
            case "goal": join.PoolChange(time, (int)argument); break;
            case "max": join.PoolLimits(time, (int)argument); break;
            default: throw new ArgumentException($"No such event: {words[2]}");
        }
    }

    private static long Number(string word) => long.Parse(word, CultureInfo.InvariantCulture);
}
