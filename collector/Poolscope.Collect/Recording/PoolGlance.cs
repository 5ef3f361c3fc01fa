using System.ComponentModel;
using Poolscope.Decode.Manifest;
using Poolscope.Look.Lines;
using Poolscope.Look.Memory;
using Poolscope.Look.Memory.Opening;
using Poolscope.Look.Running;

namespace Poolscope.Collect.Recording;

/// <summary>Reads the facts of a running process that no event shows: its pool's limits, goal and queue.</summary>
internal static class PoolGlance
{
    /// <summary>The CPU time after which the reader begins nothing new.</summary>
    private static readonly TimeSpan Time = TimeSpan.FromSeconds(1);

    /// <summary>The CPU time after which the reader is ended, including its start: machines may be slow.</summary>
    private static readonly TimeSpan Most = TimeSpan.FromSeconds(2);

    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(4);

    /// <returns>Null if the memory could not be read or the runtime's pool is unknown. A recording works without
    /// it.</returns>
    public static async Task<LookInfo?> TakeAsync(int pid)
    {
        LookReading reading;
        try
        {
            reading = await ReadAsync(pid, Machine.HasFreeCore()).ConfigureAwait(false) ?? await ReadAsync(pid, yields: false).ConfigureAwait(false) ?? new LookReading();
        }
        catch (Win32Exception)
        {
            return null;
        }

        return reading is { Pool: { Minimum: { } min, Maximum: { } max } pool, Queues: { } queues } && min >= 1 && max >= min
            ? new LookInfo(pool.AtMs * 1_000_000, min, max, pool.Goal, queues.Length, [.. queues.Items.Select(item => new QueuedInfo(item.Method, item.Kind, item.Count))])
            : null;
    }

    /// <returns>Null if the reader got no core.</returns>
    private static async Task<LookReading?> ReadAsync(int pid, bool yields)
    {
        using var reader = ReaderProcess.Start(ReaderProcess.Command(LookChild.Process, $"{pid}", null, Time), yields);
        var reading = await reader.ReadAsync(Most, Longest, CancellationToken.None, read => read.HasPool).ConfigureAwait(false);
        return reader.GotNoCore ? null : reading;
    }
}
