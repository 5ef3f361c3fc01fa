using System.Buffers.Binary;
using System.Net.Sockets;
using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Launch;

/// <summary>A diagnostic port that every .NET process of a launched command calls at its start and waits on. The first to
/// call is the target and waits until it is resumed; every later one is let go at once, or it would wait for ever.</summary>
/// <remarks>DiagnosticsClientConnector of NETCore.Client takes one process and answers no other, which hangs a command that
/// starts a second .NET process.</remarks>
public sealed class StartupPort : IDisposable
{
    /// <summary>Tells a runtime which ports to call, divided by semicolons.</summary>
    public const string Variable = "DOTNET_DiagnosticPorts";

    private static readonly TimeSpan EnvironmentTimeout = TimeSpan.FromSeconds(5);

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

    private readonly string? _othersPorts;

    private StartupPort(DirectoryInfo folder, string? othersPorts)
    {
        _folder = folder;
        _othersPorts = othersPorts;
        Address = Path.Combine(folder.FullName, "port");
        _listener.Bind(new UnixDomainSocketEndPoint(Address));
        _listener.Listen();
        _ = AcceptAsync();
    }

    public string Address { get; }

    /// <summary>For <see cref="Variable"/> of the command.</summary>
    public string Configuration => string.IsNullOrEmpty(_othersPorts) ? $"{Address},suspend" : $"{Address},suspend;{_othersPorts}";

    /// <summary>The first .NET process that started, still waiting.</summary>
    public Task<StartingProcess> Target => _target.Task;

    /// <param name="othersPorts">What <see cref="Variable"/> held before, and will hold again for what the command's
    /// .NET processes start.</param>
    /// <exception cref="IOException">No place for the socket.</exception>
    public static StartupPort Open(string? othersPorts)
    {
        // mkdtemp makes it with mode 700: nobody else can pose as a runtime.
        var folder = Directory.CreateTempSubdirectory("poolscope-");
        if (folder.FullName.Length + "/port".Length >= MaxSocketPath)
        {
            folder.Delete();
            throw new IOException($"the temporary folder's path is too long for a socket: {folder.Parent?.FullName}");
        }

        return new StartupPort(folder, othersPorts);
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
            await RestoreEnvironmentAsync(process).ConfigureAwait(false);
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

    /// <summary>Gives a process back the environment that it would have had: what it starts may outlive the collector, and
    /// would then wait for ever on a port that nobody holds open.</summary>
    private async Task RestoreEnvironmentAsync(StartingProcess process)
    {
        try
        {
            // There is no asynchronous form.
            await Task.Run(() => new DiagnosticsClient(process.Pid).SetEnvironmentVariable(Variable, _othersPorts!))
                .WaitAsync(EnvironmentTimeout).ConfigureAwait(false);
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e))
        {
            // Older than .NET 6: this port lets such processes go for as long as it is open.
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
