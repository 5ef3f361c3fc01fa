using System.Buffers.Binary;
using System.Net.Sockets;
using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Launch;

/// <summary>The calls of .NET processes that start and wait at a diagnostic port, whatever the port is made of. The first to
/// call is the target and waits until it is resumed; every later one is let go at once.</summary>
/// <param name="othersPorts">What <see cref="StartupPort.Variable"/> is to hold in each process from now on; null: nothing.</param>
internal sealed class StartupCalls(string? othersPorts, bool holdsFirst) : IDisposable
{
    /// <summary>What a runtime says first: "ADVR_V1\0", a GUID of its own, its pid (64 bits), 2 bytes of nothing.</summary>
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

    /// <summary>Takes calls until none come any more.</summary>
    /// <param name="next">Gives the next connection.</param>
    public async Task AcceptAsync(Func<CancellationToken, Task<Stream>> next)
    {
        try
        {
            while (true)
            {
                var connection = await next(_closing.Token).ConfigureAwait(false);
                lock (_lock)
                {
                    // A runtime whose connection is closed calls again and again, so it is kept to the end.
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
        lock (_lock)
        {
            _kept.ForEach(connection => connection.Dispose());
        }
    }

    /// <summary>A runtime makes a new connection after each command that it has taken: the first is for its environment, the
    /// second to resume it on. By its own connections it is reached whatever it is called outside its container.</summary>
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
                    // What it starts may outlive the port, and would then wait for ever.
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
public sealed class StartingProcess(int pid, Stream connection)
{
    /// <summary>As it calls itself.</summary>
    public int Pid { get; } = pid;

    /// <returns>False: it is gone.</returns>
    public Task<bool> ResumeAsync(CancellationToken cancel) => DiagnosticIpc.ResumeAsync(connection, cancel);
}
