using System.Collections.Concurrent;
using System.Runtime.InteropServices;

namespace Poolscope.Collect.Recording;

/// <summary>A request of the user or a service manager to stop: Ctrl-C, SIGTERM, or the terminal's end. The same signal
/// a second time means to stop at once.</summary>
/// <remarks>A second signal of another kind changes nothing. `poolscope record` passes its signals on as
/// <see cref="PassedOn"/>. It cannot know whether a signal reached the whole group, as a terminal's and a service
/// manager's do, or only itself.</remarks>
public sealed class StopRequest : IDisposable
{
    /// <summary>SIGUSR1 on Linux: no other program sends it, and neither nohup nor a background job ignores
    /// it.</summary>
    public const PosixSignal PassedOn = (PosixSignal)10;

    private readonly TaskCompletionSource<PosixSignal> _requested = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _hurry = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly List<PosixSignalRegistration> _registrations = [];
    private readonly ConcurrentDictionary<PosixSignal, bool> _received = new();

    /// <summary>Completes with the first signal.</summary>
    public Task<PosixSignal> Requested => _requested.Task;

    /// <summary>Cancelled with the first signal.</summary>
    public CancellationToken Token => _stop.Token;

    /// <summary>Cancelled when the same signal comes for the second time.</summary>
    public CancellationToken Hurry => _hurry.Token;

    public static StopRequest FromSignals()
    {
        var request = new StopRequest();
        PosixSignal[] everywhere = [PosixSignal.SIGINT, PosixSignal.SIGTERM, PosixSignal.SIGHUP];
        foreach (var signal in OperatingSystem.IsLinux() ? [.. everywhere, PassedOn] : everywhere)
        {
            request._registrations.Add(PosixSignalRegistration.Create(signal, context =>
            {
                context.Cancel = true;
                request.Request(context.Signal);
            }));
        }

        return request;
    }

    public void Request(PosixSignal signal)
    {
        var again = !_received.TryAdd(signal, true);
        if (_requested.TrySetResult(signal))
        {
            _stop.Cancel();
        }

        if (again)
        {
            _hurry.Cancel();
        }
    }

    public void Dispose()
    {
        _registrations.ForEach(registration => registration.Dispose());
        _hurry.Dispose();
        _stop.Dispose();
    }
}
