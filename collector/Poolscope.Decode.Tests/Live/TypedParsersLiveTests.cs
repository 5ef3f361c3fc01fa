using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.Parsers;
using Poolscope.Decode.Events;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.Decode.Tests.Events;
using Xunit;

namespace Poolscope.Decode.Tests.Live;

/// <summary>Payloads read at fixed offsets agree with TraceEvent's reading of a recording of this process. TraceEvent
/// finds fields by the names in the recording or by its typed parsers.</summary>
[Collection(nameof(LiveTests))]
[Trait("live", "yes")]
public sealed class TypedParsersLiveTests(ITestOutputHelper output)
{
    private const int Count = 503;

    [Fact]
    public void Every_event_of_items_tasks_and_goal_is_what_traceevent_makes_of_it()
    {
        using var capture = new OwnCapture(QueueAndWait);
        var log = new CallLog();
        NettraceReader.Read(capture.RuntimeFile, StreamBounds.None, new EventDecoder(log).Decode, cancellation: TestContext.Current.CancellationToken);
        string[] compared = ["Enqueue", "Dequeue", "TaskScheduled", "TaskStarted", "TaskCompleted", "TaskWaitBegin", "PoolChange"];
        var ours = log.ToString().Split('\n').Where(line => compared.Contains(line.Split(' ')[0])).Select(WithoutTime).ToList();

        var theirs = ByTraceEvent(capture.RuntimeFile);

        foreach (var kind in compared)
        {
            output.WriteLine($"{kind}: {theirs.Count(line => line.StartsWith(kind + " ", StringComparison.Ordinal))}");
        }

        Assert.Equal(theirs.Order(StringComparer.Ordinal), ours.Order(StringComparer.Ordinal));
        Assert.True(theirs.Count(line => line.StartsWith("Enqueue ", StringComparison.Ordinal)) >= Count);
        Assert.True(theirs.Count(line => line.StartsWith("TaskCompleted ", StringComparison.Ordinal)) >= Count);
    }

    private static List<string> ByTraceEvent(string path)
    {
        var lines = new List<string>();
        using var source = new EventPipeEventSource(path);
        var tpl = new TplEtwProviderTraceEventParser(source);
        tpl.TaskScheduledSend += e => lines.Add($"TaskScheduled {e.ThreadID} {e.TaskID} {e.CreatingTaskID} {(int)e.TaskCreationOptions}");
        tpl.TaskExecuteStart += e => lines.Add($"TaskStarted {e.ThreadID} {e.TaskID}");
        tpl.TaskExecuteStop += e => lines.Add($"TaskCompleted {e.ThreadID} {e.TaskID}");
        tpl.TaskWaitSend += e => lines.Add($"TaskWaitBegin {e.ThreadID} {e.TaskID} {(int)e.Behavior == 1}");
        source.Clr.ThreadPoolWorkerThreadAdjustmentAdjustment += e =>
            lines.Add(FormattableString.Invariant($"PoolChange {e.ThreadID} {e.NewWorkerThreadCount} {(int)e.Reason} {e.AverageThroughput}"));
        source.Dynamic.All += e =>
        {
            // Its parser of FrameworkEventSource never matches on nettrace, so fields are found by their names in the
            // recording.
            if (e.ProviderName == "System.Diagnostics.Eventing.FrameworkEventSource" && (int)e.ID is 30 or 31)
            {
                lines.Add($"{((int)e.ID == 30 ? "Enqueue" : "Dequeue")} {e.ThreadID} {e.PayloadByName("workID")}");
            }
        };
        source.Process();
        return lines;
    }

    /// <summary>Removes the time, because TraceEvent's times are rounded differences.</summary>
    private static string WithoutTime(string line)
    {
        var words = line.Split(' ');
        return string.Join(' ', words.Where((_, at) => at != 1));
    }

    private static void QueueAndWait()
    {
        var token = TestContext.Current.CancellationToken;
        using var left = new CountdownEvent(2 * Count);
        for (var i = 0; i < Count; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(_ => left.Signal(), null);
            Task.Factory.StartNew(() => left.Signal(), CancellationToken.None, TaskCreationOptions.None, TaskScheduler.Default);
        }

        left.Wait(token);
        Task.Run(() => Task.Delay(5, token).Wait(token), token).Wait(token);
    }
}
