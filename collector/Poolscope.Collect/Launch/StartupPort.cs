using System.Net.Sockets;
using Poolscope.Collect.Files;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Launch;

/// <summary>A diagnostic port that every .NET process of a command calls at its start and waits on, as a Unix socket.
/// <see cref="StartupCalls"/> answers.</summary>
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

    /// <summary>Longest path that a Unix socket address holds, the closing zero among it.</summary>
    private const int MaxSocketPath = 108;

    private readonly string _folder;
    private readonly Socket _listener = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly StartupCalls _calls;

    private StartupPort(string folder, string? othersPorts, bool holdsFirst)
    {
        _folder = folder;
        _calls = new StartupCalls(othersPorts, holdsFirst);
        Address = Path.Combine(folder, FileName);
        _listener.Bind(new UnixDomainSocketEndPoint(Address));
        _listener.Listen();
        _ = _calls.AcceptAsync(NextAsync);
    }

    public string Address { get; }

    /// <summary>The first .NET process that started, still waiting.</summary>
    public Task<StartingProcess> Target => _calls.Target;

    /// <summary>For <see cref="Variable"/> of the command.</summary>
    public static string Configuration(string address, string? othersPorts) =>
        string.IsNullOrEmpty(othersPorts) ? $"{address},suspend" : $"{address},suspend;{othersPorts}";

    /// <param name="othersPorts">What <see cref="Variable"/> held before, and will hold again for what the command's
    /// .NET processes start.</param>
    /// <exception cref="IOException">No place for the socket.</exception>
    public static StartupPort Open(string? othersPorts)
    {
        // mkdtemp makes it with mode 700: nothing else can pose as a runtime.
        var folder = Directory.CreateTempSubdirectory(FolderPrefix);
        if (folder.FullName.Length + 1 + FileName.Length >= MaxSocketPath)
        {
            folder.Delete();
            throw new IOException($"the temporary folder's path is too long for a socket: {folder.Parent?.FullName}");
        }

        return new StartupPort(folder.FullName, othersPorts, holdsFirst: true);
    }

    /// <summary>Opens the port of a collector that is gone once more, for those that still call it. Nobody is held.</summary>
    /// <param name="folder">Of the port, as this process sees it; made if it is missing.</param>
    /// <param name="owner">User id of those that call, if it is not this process's own.</param>
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
    public Task LetGoAsync(CancellationToken cancel) => _calls.LetGoAsync(cancel);

    public void Dispose()
    {
        _listener.Dispose();
        _calls.Dispose();

        try
        {
            Directory.Delete(_folder, recursive: true);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // A leftover in the temporary folder is no reason to fail a capture.
        }
    }

    private async Task<Stream> NextAsync(CancellationToken cancel) =>
        new NetworkStream(await _listener.AcceptAsync(cancel).ConfigureAwait(false), ownsSocket: true);
}
