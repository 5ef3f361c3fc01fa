using System.IO.Pipes;

namespace Poolscope.Collect.Launch;

/// <summary>What <see cref="StartupPort"/> is on Linux, as a named pipe of Windows. No guard stands beside it: if the
/// collector is ended while the command waits, the command waits for ever.</summary>
internal sealed class PipePort : IDisposable
{
    /// <summary>As Microsoft.Diagnostics.NETCore.Client has it.</summary>
    private const int BufferBytes = 16 * 1024;

    private readonly string? _othersPorts;
    private readonly string _name;
    private readonly StartupCalls _calls;
    private NamedPipeServerStream _next;

    private PipePort(string? othersPorts)
    {
        _othersPorts = othersPorts;
        _name = $"{StartupPort.FolderPrefix}{Guid.NewGuid():N}";
        _calls = new StartupCalls(othersPorts, holdsFirst: true);

        // Before the command is started: a runtime must find it.
        _next = New(PipeOptions.FirstPipeInstance);
        _ = _calls.AcceptAsync(NextAsync);
    }

    /// <summary>For <see cref="StartupPort.Variable"/> of the command.</summary>
    public string Configuration => StartupPort.Configuration(_name, _othersPorts);

    public Task<StartingProcess> Target => _calls.Target;

    /// <param name="othersPorts">As of <see cref="StartupPort.Open"/>.</param>
    /// <exception cref="IOException">Windows gives no pipe.</exception>
    public static PipePort Open(string? othersPorts) => new(othersPorts);

    public Task LetGoAsync(CancellationToken cancel) => _calls.LetGoAsync(cancel);

    public void Dispose()
    {
        _calls.Dispose();
        _next.Dispose();
    }

    private async Task<Stream> NextAsync(CancellationToken cancel)
    {
        while (true)
        {
            var connected = _next;
            try
            {
                await connected.WaitForConnectionAsync(cancel).ConfigureAwait(false);
                _next = New(PipeOptions.None);
                return connected;
            }
            catch (IOException)
            {
                // Who called was gone again before it was heard.
                _next = New(PipeOptions.None);
                await connected.DisposeAsync().ConfigureAwait(false);
            }
        }
    }

    /// <summary>For this user alone: nobody else can pose as a runtime.</summary>
    private NamedPipeServerStream New(PipeOptions first) => new(
        _name,
        PipeDirection.InOut,
        NamedPipeServerStream.MaxAllowedServerInstances,
        PipeTransmissionMode.Byte,
        PipeOptions.Asynchronous | PipeOptions.CurrentUserOnly | first,
        BufferBytes,
        BufferBytes);
}
