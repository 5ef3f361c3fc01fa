using System.Runtime.InteropServices;

namespace Poolscope.Collect.Recording;

/// <summary>A person's or a service manager's wish to stop: Ctrl-C, SIGTERM, or the terminal's end. A second one means at once.</summary>
/// <remarks>A process started in the background by a non-interactive shell inherits SIGINT as ignored, and so it stays:
/// SIGTERM always works.</remarks>
public sealed class StopRequest : IDisposable
{
    private readonly TaskCompletionSource<PosixSignal> _requested = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _hurry = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly List<PosixSignalRegistration> _registrations = [];

    /// <summary>Completes with the first signal.</summary>
    public Task<PosixSignal> Requested => _requested.Task;

    /// <summary>Cancelled with the first signal.</summary>
    public CancellationToken Token => _stop.Token;

    /// <summary>Cancelled with the second signal.</summary>
    public CancellationToken Hurry => _hurry.Token;

    public static StopRequest FromSignals()
    {
        var request = new StopRequest();
        foreach (var signal in new[] { PosixSignal.SIGINT, PosixSignal.SIGTERM, PosixSignal.SIGHUP })
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
        if (_requested.TrySetResult(signal))
        {
            _stop.Cancel();
        }
        else
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
