using System.Runtime.InteropServices;

namespace Poolscope.Service.Commands;

/// <summary>Handles Ctrl-C and SIGTERM, so that children can be ended first. The runtime calls the handler on a thread
/// of its own, so a starved pool does not delay it.</summary>
/// <param name="action">Receives the exit code that shells give to the signal.</param>
internal sealed class EndingSignals(Action<int> action) : IDisposable
{
    private readonly List<PosixSignalRegistration> _registrations =
    [
        PosixSignalRegistration.Create(PosixSignal.SIGINT, context => Handle(context, action, 130)),
        PosixSignalRegistration.Create(PosixSignal.SIGTERM, context => Handle(context, action, 143)),
    ];

    public void Dispose() => _registrations.ForEach(r => r.Dispose());

    private static void Handle(PosixSignalContext context, Action<int> action, int code)
    {
        context.Cancel = true;
        action(code);
    }
}
