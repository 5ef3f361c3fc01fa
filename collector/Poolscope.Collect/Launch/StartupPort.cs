using System.Net.Sockets;
using Poolscope.Collect.Files;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Launch;

/// <summary>A diagnostic port, as a Unix socket, that every .NET process of a command calls at its start and waits on.
/// <see cref="StartupCalls"/> answers.</summary>
/// <remarks>DiagnosticsClientConnector of NETCore.Client accepts one process and answers no other, so a command that
/// starts a second .NET process hangs.</remarks>
public sealed class StartupPort : IDisposable
{
    /// <summary>The variable that names the ports a runtime calls, separated by semicolons.</summary>
    public const string Variable = "DOTNET_DiagnosticPorts";

    /// <summary>The name of the port's folder, before some random letters.</summary>
    public const string FolderPrefix = "poolscope-";

    /// <summary>The name of the port's file in its folder.</summary>
    public const string FileName = "port";

    /// <summary>The longest path in a Unix socket address, with the closing zero.</summary>
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

    /// <summary>Returns the value of <see cref="Variable"/> for the command.</summary>
    public static string Configuration(string address, string? othersPorts) =>
        string.IsNullOrEmpty(othersPorts) ? $"{address},suspend" : $"{address},suspend;{othersPorts}";

    /// <param name="othersPorts">The earlier value of <see cref="Variable"/>. The command's .NET processes pass it on
    /// to the processes that they start.</param>
    /// <exception cref="IOException">The socket cannot be created.</exception>
    public static StartupPort Open(string? othersPorts)
    {
        // mkdtemp makes the folder with mode 700, so no other user can pose as a runtime.
        var folder = Directory.CreateTempSubdirectory(FolderPrefix);
        if (folder.FullName.Length + 1 + FileName.Length >= MaxSocketPath)
        {
            folder.Delete();
            throw new IOException($"the temporary folder's path is too long for a socket: {folder.Parent?.FullName}");
        }

        return new StartupPort(folder.FullName, othersPorts, holdsFirst: true);
    }

    /// <summary>Reopens the port of a collector that is gone, for processes that still call it. Each is resumed at
    /// once.</summary>
    /// <param name="folder">The folder of the port, as this process sees it; created if it is missing.</param>
    /// <param name="owner">The user id of the callers, if it is not this process's own.</param>
    /// <exception cref="IOException">The socket cannot be created, or its place belongs to another user.</exception>
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

    /// <summary>Resumes the target if it still waits. From then on, every caller is resumed at once.</summary>
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
