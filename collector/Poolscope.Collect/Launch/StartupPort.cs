using System.Buffers.Binary;
using System.Net.Sockets;
using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Launch;

/// <summary>A diagnostic port that every .NET process of a launched command calls at its start and waits on. The first to
/// call is the target and waits until it is resumed; every later one is let go at once, or it would wait for ever.</summary>
/// <remarks>DiagnosticsClientConnector of NETCore.Client takes one process and answers no other, which hangs a command that
/// starts a second .NET process.</remarks>
public sealed class StartupPort : IDisposable
{
    /// <summary>What a runtime says first: "ADVR_V1\0", a GUID of its own, its pid (64 bits), 2 bytes of nothing.</summary>
    private const int AdvertiseBytes = 8 + 16 + 8 + 2;

    /// <summary>Longest path that a Unix socket address holds, the closing zero among it.</summary>
    private const int MaxSocketPath = 108;

    private readonly DirectoryInfo _folder;
    private readonly Socket _listener = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly CancellationTokenSource _closing = new();
    private readonly TaskCompletionSource<StartingProcess> _target = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly HashSet<Guid> _seen = [];
    private readonly List<Socket> _held = [];

    private StartupPort(DirectoryInfo folder)
    {
        _folder = folder;
        Address = Path.Combine(folder.FullName, "port");
        _listener.Bind(new UnixDomainSocketEndPoint(Address));
        _listener.Listen();
        _ = AcceptAsync();
    }

    public string Address { get; }

    /// <summary>For the variable DOTNET_DiagnosticPorts of the command.</summary>
    public string Configuration => Address + ",suspend";

    /// <summary>The first .NET process that started, still waiting.</summary>
    public Task<StartingProcess> Target => _target.Task;

    /// <exception cref="IOException">No place for the socket.</exception>
    public static StartupPort Open()
    {
        // mkdtemp makes it with mode 700: nobody else can pose as a runtime.
        var folder = Directory.CreateTempSubdirectory("poolscope-");
        if (folder.FullName.Length + "/port".Length >= MaxSocketPath)
        {
            folder.Delete();
            throw new IOException($"the temporary folder's path is too long for a socket: {folder.Parent?.FullName}");
        }

        return new StartupPort(folder);
    }

    public void Dispose()
    {
        _closing.Cancel();
        _listener.Dispose();
        lock (_held)
        {
            _held.ForEach(socket => socket.Dispose());
        }

        try
        {
            _folder.Delete(recursive: true);
        }
        catch (IOException)
        {
            // A leftover in the temporary folder is no reason to fail a capture.
        }
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                var socket = await _listener.AcceptAsync(_closing.Token).ConfigureAwait(false);
                lock (_held)
                {
                    // A runtime whose connection is closed calls again and again, so it is kept to the end.
                    _held.Add(socket);
                }

                _ = WelcomeAsync(socket);
            }
        }
        catch (Exception e) when (e is OperationCanceledException or SocketException or ObjectDisposedException)
        {
            _target.TrySetCanceled();
        }
    }

    private async Task WelcomeAsync(Socket socket)
    {
        try
        {
            var advertise = new byte[AdvertiseBytes];
            var stream = new NetworkStream(socket, ownsSocket: false);
            await using (stream.ConfigureAwait(false))
            {
                await stream.ReadExactlyAsync(advertise, _closing.Token).ConfigureAwait(false);
            }

            if (!advertise.AsSpan().StartsWith("ADVR_V1\0"u8))
            {
                return;
            }

            lock (_seen)
            {
                // After a command has been served on a connection, the runtime makes another for the next one.
                if (!_seen.Add(new Guid(advertise.AsSpan(8, 16))))
                {
                    return;
                }
            }

            var process = new StartingProcess((int)BinaryPrimitives.ReadUInt64LittleEndian(advertise.AsSpan(24)), socket);
            if (!_target.TrySetResult(process))
            {
                await process.ResumeAsync(_closing.Token).ConfigureAwait(false);
            }
        }
        catch (Exception e) when (e is IOException or SocketException or ObjectDisposedException or OperationCanceledException)
        {
            // It ended before it had said who it is.
        }
    }
}

/// <summary>A .NET process that waits at the very start of its runtime, before any managed code.</summary>
public sealed class StartingProcess(int pid, Socket connection)
{
    public int Pid { get; } = pid;

    /// <returns>False: it is gone.</returns>
    public Task<bool> ResumeAsync(CancellationToken cancel) => DiagnosticIpc.ResumeAsync(connection, cancel);
}
