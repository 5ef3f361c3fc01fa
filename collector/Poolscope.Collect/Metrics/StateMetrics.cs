using Poolscope.Collect.Live;
using Prometheus;

namespace Poolscope.Collect.Metrics;

/// <summary>Writes a state as metrics. A metric that .NET's own meter System.Runtime also has gets that meter's name,
/// as Prometheus writes it. Unknown values are left out.</summary>
/// <remarks>Each scrape creates the metrics again, in a fraction of a millisecond. None remains of a process that
/// ended.</remarks>
internal static class StateMetrics
{
    /// <param name="state">The state, or null if there is none yet.</param>
    public static async Task WriteAsync(PoolState? state, Stream to, ExpositionFormat format, CancellationToken cancel)
    {
        var registry = Prometheus.Metrics.NewCustomRegistry();
        if (state is not null)
        {
            var metrics = new Writer(Prometheus.Metrics.WithCustomRegistry(registry));
            Runtime(metrics, state);
            Pool(metrics, state);
            Watcher(metrics, state);
        }

        await registry.CollectAndExportAsTextAsync(to, format, cancel).ConfigureAwait(false);
    }

    private static void Runtime(Writer to, PoolState state)
    {
        to.Gauge("dotnet_thread_pool_thread_count", "Worker threads of the pool, idle ones too.", state.Threads);
        to.Gauge("dotnet_thread_pool_queue_length", "Work items in the queues of the pool.", state.Queue);
        to.Counter("dotnet_thread_pool_work_item_count_total", "Work items that ended, since the process is watched.", state.Completed);
        to.Gauge("dotnet_timer_count", "Timers that are due some time.", state.Timers);
        to.Counter("dotnet_process_cpu_time_seconds_total", "CPU time of the process, seconds.", state.Cpu?.UserS, ("cpu_mode", "user"));
        to.Counter("dotnet_process_cpu_time_seconds_total", "CPU time of the process, seconds.", state.Cpu?.SystemS, ("cpu_mode", "system"));
    }

    private static void Pool(Writer to, PoolState state)
    {
        to.Gauge("poolscope_work_item_longest_wait_seconds", "Longest wait of the items that began in the last second, and so far of those that are queued, seconds.", state.WaitS);
        to.Gauge("poolscope_work_item_longest_wait_last_minute_seconds", "The longest wait in the last minute, seconds: for scrapes that are further apart than a second.", state.Minute.Max(moment => moment.WaitS));
        to.Gauge("poolscope_thread_pool_queued_seconds", "For how long the queue has not been empty, by the runtime's counter, seconds.", state.QueuedS);
        to.Counter("poolscope_work_items_begun_total", "Work items that began, since the process is watched.", state.Begun);
        to.Gauge("poolscope_thread_pool_goal_threads", "Worker threads that the pool wants. Known from its first change on.", state.Goal);
        to.Gauge("poolscope_thread_pool_goal_age_seconds", "Since the goal last changed, seconds.", state.GoalAgeS);
        foreach (var reason in state.GoalReason is null ? [] : GoalReasons.All)
        {
            to.Gauge("poolscope_thread_pool_goal_reason", "1 for the reason why the goal last changed.", reason == state.GoalReason ? 1 : 0, ("reason", reason));
        }

        to.Counter("poolscope_thread_pool_starvation_adjustments_total", "Threads that the pool added because of starvation, since the process is watched.", state.Starvations);
    }

    private static void Watcher(Writer to, PoolState state)
    {
        if (state.Pid is { } pid)
        {
            to.Gauge("poolscope_target_info", "1 for the process that is watched.", 1, ("pid", Writer.Label(pid)), ("name", state.Name ?? ""), ("runtime", state.Runtime ?? ""));
        }

        to.Gauge("poolscope_target_uptime_seconds", "Since the process started, seconds.", state.UptimeS);
        to.Gauge("poolscope_target_silence_seconds", "Time since the last event of the process, in seconds.", state.SilentS);
        foreach (var phase in WatchPhase.OfWatch)
        {
            to.Gauge("poolscope_watch_state", "1 for what the watcher does: waiting for a process, watching, recording an incident, writing its capture.", phase == state.Phase ? 1 : 0, ("state", phase));
        }

        to.Gauge("poolscope_watch_updated_timestamp_seconds", "When these figures were taken, Unix time, seconds.", new DateTimeOffset(state.TimeUtc).ToUnixTimeMilliseconds() / 1000.0);
        to.Gauge("poolscope_condition_holds", "1 if the condition of --when holds.", state.Holds is { } holds ? holds ? 1 : 0 : null);
        to.Counter("poolscope_incidents_total", "Times that the condition fired.", state.Tally.Fired);
        to.Counter("poolscope_captures_total", "Captures that were written.", state.Tally.Captured);
        to.Counter("poolscope_captures_failed_total", "Captures that could not be written.", state.Tally.Failed);
        to.Gauge("poolscope_captures_kept", "Captures in the folder.", state.Captures);
        to.Counter("poolscope_warnings_total", "Warnings of the watcher.", state.Tally.Warnings);
        to.Counter("poolscope_lost_events_total", "Events that the runtime dropped, since the process is watched.", state.Lost);
        to.Gauge("poolscope_history_seconds", "How far back a capture would reach, seconds.", state.HistoryS);
        to.Gauge("poolscope_disk_bytes", "Captures and running recordings on the disk, bytes.", state.Bytes);
        to.Gauge("poolscope_disk_limit_bytes", "Limit of poolscope_disk_bytes (--max-size), bytes.", state.MaxBytes);
    }

    private sealed class Writer(MetricFactory factory)
    {
        public static string Label(int value) => value.ToString(System.Globalization.CultureInfo.InvariantCulture);

        public void Gauge(string name, string help, double? value, params (string Name, string Value)[] labels)
        {
            if (value is { } known)
            {
                factory.CreateGauge(name, help, Names(labels)).WithLabels(Values(labels)).Set(known);
            }
        }

        public void Counter(string name, string help, double? value, params (string Name, string Value)[] labels)
        {
            if (value is { } known)
            {
                factory.CreateCounter(name, help, Names(labels)).WithLabels(Values(labels)).IncTo(known);
            }
        }

        private static string[] Names((string Name, string Value)[] labels) => [.. labels.Select(label => label.Name)];

        private static string[] Values((string Name, string Value)[] labels) => [.. labels.Select(label => label.Value)];
    }
}
