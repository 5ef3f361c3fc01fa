using System.Diagnostics;
using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Files;
using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Recording;

/// <summary>Opens the session of the runtime stream, which is the capture.</summary>
internal static class RuntimeSession
{
    /// <summary>The timeout for a process that was just launched, which answers within milliseconds.</summary>
    private static readonly TimeSpan StartTimeout = TimeSpan.FromSeconds(10);

    /// <summary>The timeout for a running process that has answered before.</summary>
    private static readonly TimeSpan PatientStartTimeout = TimeSpan.FromSeconds(30);

    /// <summary>The time after which no more attempt is made.</summary>
    private static readonly TimeSpan MostPatience = TimeSpan.FromSeconds(45);

    /// <summary>The pauses between attempts to open the runtime stream: a process that collects garbage without a pause
    /// refuses some.</summary>
    /// <remarks>One long attempt is worth more than several short ones, which each leave a session to close.</remarks>
    private static readonly TimeSpan[] Pauses = [TimeSpan.FromSeconds(0.3), TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(3)];

    /// <summary>Opens the session. If a running process refuses, it tries again after a pause: the process may accept a
    /// moment later.</summary>
    /// <returns>The recording, and whether every event has its stack.</returns>
    public static async Task<(EventPipeRecording Recording, bool Stacks)> StartAsync(RecordingPlan plan, DiagnosticsClient client, SizeLimit size)
    {
        var waited = Stopwatch.StartNew();
        for (var attempt = 0; ; attempt++)
        {
            try
            {
                return await TryStartAsync(plan, client, size).ConfigureAwait(false);
            }
            catch (Exception e) when (e is DiagnosticsClientException or TimeoutException
                && attempt < Pauses.Length && waited.Elapsed < MostPatience && !plan.Launched && ProcFs.System.IsAlive(plan.Pid))
            {
                await Task.Delay(Pauses[attempt]).ConfigureAwait(false);
            }
        }
    }

    /// <summary>Opens the runtime session without stacks if the runtime can leave them out. If its version is unknown,
    /// its answer decides.</summary>
    private static async Task<(EventPipeRecording Recording, bool Stacks)> TryStartAsync(RecordingPlan plan, DiagnosticsClient client, SizeLimit size)
    {
        Task<EventPipeRecording> Start(bool stacks) => EventPipeRecording.StartAsync(
            client,
            SessionPlan.Runtime(plan.BufferMb, stacks, plan.Requests, plan.Activities),
            Path.Combine(plan.Folder, SessionPlan.RuntimeFile),
            plan.Launched ? StartTimeout : PatientStartTimeout,
            bytes => size.TryTake(bytes, stacks ? TableSize.OfRuntimeWithStacks : TableSize.OfRuntime));

        if (RuntimeVersion.Major(plan.Runtime) < RuntimeVersion.FirstWithoutStacks)
        {
            return (await Start(stacks: true).ConfigureAwait(false), true);
        }

        try
        {
            return (await Start(stacks: false).ConfigureAwait(false), false);
        }
        catch (UnsupportedCommandException)
        {
            return (await Start(stacks: true).ConfigureAwait(false), true);
        }
    }
}
