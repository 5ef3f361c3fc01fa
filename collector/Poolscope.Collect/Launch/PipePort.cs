using System.IO.Pipes;

namespace Poolscope.Collect.Launch;

/// <summary>The counterpart of <see cref="StartupPort"/> on Windows, a named pipe. It has no guard: if the collector
/// ends while the command waits, the command waits forever.</summary>
internal sealed class PipePort : IDisposable
{
    /// <summary>The buffer size of Microsoft.Diagnostics.NETCore.Client.</summary>
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

        // The pipe must exist before the command starts, because a runtime must find it.
        _next = New(PipeOptions.FirstPipeInstance);
        _ = _calls.AcceptAsync(NextAsync);
    }

    /// <summary>The value of <see cref="StartupPort.Variable"/> for the command.</summary>
    public string Configuration => StartupPort.Configuration(_name, _othersPorts);

    public Task<StartingProcess> Target => _calls.Target;

    /// <param name="othersPorts">See <see cref="StartupPort.Open"/>.</param>
    /// <exception cref="IOException">Windows cannot create the pipe.</exception>
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
                // The runtime was gone again before the pipe accepted it.
                _next = New(PipeOptions.None);
                await connected.DisposeAsync().ConfigureAwait(false);
            }
        }
    }

    /// <summary>Creates a pipe for this user alone, so no other user can pose as a runtime.</summary>
    private NamedPipeServerStream New(PipeOptions first) => new(
        _name,
        PipeDirection.InOut,
        NamedPipeServerStream.MaxAllowedServerInstances,
        PipeTransmissionMode.Byte,
        PipeOptions.Asynchronous | PipeOptions.CurrentUserOnly | first,
        BufferBytes,
        BufferBytes);
}
