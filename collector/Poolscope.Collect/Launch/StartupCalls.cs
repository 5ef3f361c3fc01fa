using System.Buffers.Binary;
using System.Net.Sockets;
using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Launch;

/// <summary>Answers the .NET processes that start and wait at a diagnostic port of either kind. The first caller is the
/// target and waits until it is resumed. Every later one is resumed at once.</summary>
/// <param name="othersPorts">The new <see cref="StartupPort.Variable"/> in each process, or null to remove it.</param>
internal sealed class StartupCalls(string? othersPorts, bool holdsFirst) : IDisposable
{
    /// <summary>A runtime's first message: "ADVR_V1\0", a GUID, its pid (64 bits), 2 unused bytes.</summary>
    private const int AdvertiseBytes = 8 + 16 + 8 + 2;

    private readonly CancellationTokenSource _closing = new();
    private readonly TaskCompletionSource<StartingProcess> _target = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _lock = new();
    private readonly Dictionary<Guid, int> _calls = [];
    private readonly List<Stream> _kept = [];
    private bool _holdsNext = holdsFirst;
    private StartingProcess? _held;

    /// <summary>The first .NET process that started, still waiting.</summary>
    public Task<StartingProcess> Target => _target.Task;

    /// <summary>Accepts calls until no more can come.</summary>
    /// <param name="next">Returns the next connection.</param>
    public async Task AcceptAsync(Func<CancellationToken, Task<Stream>> next)
    {
        try
        {
            while (true)
            {
                var connection = await next(_closing.Token).ConfigureAwait(false);
                lock (_lock)
                {
                    // A runtime whose connection is closed calls again and again, so the connection is kept to the end.
                    _kept.Add(connection);
                }

                _ = WelcomeAsync(connection);
            }
        }
        catch (Exception e) when (e is OperationCanceledException or IOException or SocketException or ObjectDisposedException)
        {
            _target.TrySetCanceled();
        }
    }

    /// <summary>Resumes the target if it still waits. From then on, every caller is resumed at once.</summary>
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
        lock (_lock)
        {
            _kept.ForEach(connection => connection.Dispose());
        }
    }

    /// <summary>Answers one connection. A runtime makes a new connection after each command that it has taken: the
    /// first sets its environment, the second resumes it. Its own connections reach it whatever its pid is outside its
    /// container.</summary>
    private async Task WelcomeAsync(Stream connection)
    {
        try
        {
            var advertise = new byte[AdvertiseBytes];
            await connection.ReadExactlyAsync(advertise, _closing.Token).ConfigureAwait(false);
            if (!advertise.AsSpan().StartsWith("ADVR_V1\0"u8))
            {
                return;
            }

            switch (CountCall(new Guid(advertise.AsSpan(8, 16))))
            {
                case 1:
                    // The children of this process may outlive the port, and would then wait forever.
                    await DiagnosticIpc.SetEnvironmentAsync(connection, StartupPort.Variable, othersPorts, _closing.Token).ConfigureAwait(false);
                    break;
                case 2:
                    var process = new StartingProcess((int)BinaryPrimitives.ReadUInt64LittleEndian(advertise.AsSpan(24)), connection);
                    if (!Holds(process))
                    {
                        await process.ResumeAsync(_closing.Token).ConfigureAwait(false);
                    }

                    break;
            }
        }
        catch (Exception e) when (e is IOException or SocketException or ObjectDisposedException or OperationCanceledException)
        {
            // The process ended before it had identified itself.
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
public sealed class StartingProcess(int pid, Stream connection)
{
    /// <summary>The pid that the process itself reports.</summary>
    public int Pid { get; } = pid;

    /// <returns>False if the process is gone.</returns>
    public Task<bool> ResumeAsync(CancellationToken cancel) => DiagnosticIpc.ResumeAsync(connection, cancel);
}
