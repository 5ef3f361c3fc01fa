using System.Buffers.Binary;
using System.Net.Sockets;
using Poolscope.Collect.Files;
using Poolscope.Collect.Processes;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Launch;

/// <summary>A diagnostic port that every .NET process of a command calls at its start and waits on. The first to call is the
/// target and waits until it is resumed; every later one is let go at once, or it would wait for ever.</summary>
/// <remarks>DiagnosticsClientConnector of NETCore.Client takes one process and answers no other, which hangs a command that
/// starts a second .NET process.</remarks>
public sealed class StartupPort : IDisposable
{
    /// <summary>Tells a runtime which ports to call, divided by semicolons.</summary>
    public const string Variable = "DOTNET_DiagnosticPorts";

    /// <summary>What the folder of such a port is called, before some random letters.</summary>
    public const string FolderPrefix = "poolscope-";

    /// <summary>The port's file in it.</summary>
    public const string FileName = "port";

    /// <summary>What a runtime says first: "ADVR_V1\0", a GUID of its own, its pid (64 bits), 2 bytes of nothing.</summary>
    private const int AdvertiseBytes = 8 + 16 + 8 + 2;

    /// <summary>Longest path that a Unix socket address holds, the closing zero among it.</summary>
    private const int MaxSocketPath = 108;

    private readonly string _folder;
    private readonly string? _othersPorts;
    private readonly Socket _listener = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly CancellationTokenSource _closing = new();
    private readonly TaskCompletionSource<StartingProcess> _target = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _lock = new();
    private readonly Dictionary<Guid, int> _calls = [];
    private readonly List<Socket> _kept = [];
    private bool _holdsNext;
    private StartingProcess? _held;

    private StartupPort(string folder, string? othersPorts, bool holdsFirst)
    {
        (_folder, _othersPorts, _holdsNext) = (folder, othersPorts, holdsFirst);
        Address = Path.Combine(folder, FileName);
        _listener.Bind(new UnixDomainSocketEndPoint(Address));
        _listener.Listen();
        _ = AcceptAsync();
    }

    public string Address { get; }

    /// <summary>The first .NET process that started, still waiting.</summary>
    public Task<StartingProcess> Target => _target.Task;

    /// <summary>For <see cref="Variable"/> of the command.</summary>
    public static string Configuration(string address, string? othersPorts) =>
        string.IsNullOrEmpty(othersPorts) ? $"{address},suspend" : $"{address},suspend;{othersPorts}";

    /// <param name="othersPorts">What <see cref="Variable"/> held before, and will hold again for what the command's
    /// .NET processes start.</param>
    /// <exception cref="IOException">No place for the socket.</exception>
    public static StartupPort Open(string? othersPorts)
    {
        // mkdtemp makes it with mode 700: nobody else can pose as a runtime.
        var folder = Directory.CreateTempSubdirectory(FolderPrefix);
        if (folder.FullName.Length + 1 + FileName.Length >= MaxSocketPath)
        {
            folder.Delete();
            throw new IOException($"the temporary folder's path is too long for a socket: {folder.Parent?.FullName}");
        }

        return new StartupPort(folder.FullName, othersPorts, holdsFirst: true);
    }

    /// <summary>Opens the port of a collector that is gone once more, for those that still call it. Nobody is held.</summary>
    /// <param name="folder">Of the port, as this process sees it; made where it is missing.</param>
    /// <param name="owner">User id of those that call, where it is not this process's own.</param>
    /// <exception cref="IOException">No place for the socket, or someone else's.</exception>
    public static StartupPort Reopen(string folder, string? othersPorts, int? owner = null)
    {
        if (new DirectoryInfo(folder).LinkTarget is not null)
        {
            throw new IOException($"{folder} is a link");
        }

        PrivateFiles.CreateFolder(folder);

        File.Delete(Path.Combine(folder, FileName));
        try
        {
            var port = new StartupPort(folder, othersPorts, holdsFirst: false);
            if (owner is { } user)
            {
                Libc.GiveTo(port.Address, user);
                Libc.GiveTo(folder, user);
            }

            return port;
        }
        catch (SocketException e)
        {
            throw new IOException(e.Message, e);
        }
    }

    /// <summary>Resumes the target if it waits still. From now on nobody is held.</summary>
    public Task LetGoAsync(CancellationToken cancel)
    {
        StartingProcess? held;
        lock (_lock)
        {
            _holdsNext = false;
            (held, _held) = (_held, null);
        }

        return held?.ResumeAsync(cancel) ?? Task.CompletedTask;
    }

    public void Dispose()
    {
        _closing.Cancel();
        _listener.Dispose();
        lock (_lock)
        {
            _kept.ForEach(socket => socket.Dispose());
        }

        try
        {
            Directory.Delete(_folder, recursive: true);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
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
                lock (_lock)
                {
                    // A runtime whose connection is closed calls again and again, so it is kept to the end.
                    _kept.Add(socket);
                }

                _ = WelcomeAsync(socket);
            }
        }
        catch (Exception e) when (e is OperationCanceledException or SocketException or ObjectDisposedException)
        {
            _target.TrySetCanceled();
        }
    }

    /// <summary>A runtime makes a new connection after each command that it has taken: the first is for its environment, the
    /// second to resume it on. By its own connections it is reached whatever it is called outside its container.</summary>
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

            switch (CountCall(new Guid(advertise.AsSpan(8, 16))))
            {
                case 1:
                    // What it starts may outlive the port, and would then wait for ever.
                    await DiagnosticIpc.SetEnvironmentAsync(socket, Variable, _othersPorts, _closing.Token).ConfigureAwait(false);
                    break;
                case 2:
                    var process = new StartingProcess((int)BinaryPrimitives.ReadUInt64LittleEndian(advertise.AsSpan(24)), socket);
                    if (!Holds(process))
                    {
                        await process.ResumeAsync(_closing.Token).ConfigureAwait(false);
                    }

                    break;
            }
        }
        catch (Exception e) when (e is IOException or SocketException or ObjectDisposedException or OperationCanceledException)
        {
            // It ended before it had said who it is.
        }
    }

    private int CountCall(Guid runtime)
    {
        lock (_lock)
        {
            return _calls[runtime] = _calls.GetValueOrDefault(runtime) + 1;
        }
    }

    private bool Holds(StartingProcess process)
    {
        lock (_lock)
        {
            if (!_holdsNext)
            {
                return false;
            }

            (_holdsNext, _held) = (false, process);
        }

        return _target.TrySetResult(process);
    }
}

/// <summary>A .NET process that waits at the very start of its runtime, before any managed code.</summary>
public sealed class StartingProcess(int pid, Socket connection)
{
    /// <summary>As it calls itself.</summary>
    public int Pid { get; } = pid;

    /// <returns>False: it is gone.</returns>
    public Task<bool> ResumeAsync(CancellationToken cancel) => DiagnosticIpc.ResumeAsync(connection, cancel);
}
