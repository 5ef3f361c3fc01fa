using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Files;

namespace Poolscope.Collect.EventPipe;

/// <summary>Copies one EventPipe session into one file.</summary>
public sealed class EventPipeRecording : IAsyncDisposable
{
    private const int BufferBytes = 128 * 1024;

    private readonly EventPipeSession _session;
    private readonly FileStream _file;
    private readonly Func<int, bool> _mayWrite;
    private long _bytes;
    private ushort _tail;

    private EventPipeRecording(EventPipeSession session, FileStream file, Func<int, bool> mayWrite)
    {
        (_session, _file, _mayWrite) = (session, file, mayWrite);
        FileName = Path.GetFileName(file.Name);
        Ended = CopyAsync();
    }

    public string FileName { get; }

    /// <summary>The time when the runtime had opened the session, in CLOCK_MONOTONIC ns.</summary>
    public long StartNs { get; } = MonotonicClock.NowNs;

    public long EndNs { get; private set; }

    /// <summary>The bytes written so far.</summary>
    public long Bytes => Interlocked.Read(ref _bytes);

    /// <summary>Completes when the stream ends for any reason; never faults.</summary>
    public Task Ended { get; }

    /// <summary>The error that ended writing, such as a full disk, or null if there was none.</summary>
    public string? WriteFailure { get; private set; }

    /// <summary>Whether the runtime ended the stream itself: end-of-object and null-reference tags close a nettrace
    /// file. A stream without them was cut, and its last flush interval (about 100 ms) is missing.</summary>
    public bool HasEndMark => _tail == 0x0601;

    /// <param name="mayWrite">Returns whether this many bytes may be written. After the first false, all further bytes
    /// are read and dropped: the file ends there.</param>
    /// <exception cref="TimeoutException">The process did not answer.</exception>
    /// <exception cref="DiagnosticsClientException">The process refused, or is gone.</exception>
    /// <exception cref="IOException">The file cannot be created.</exception>
    public static async Task<EventPipeRecording> StartAsync(
        DiagnosticsClient client, EventPipeSessionConfiguration configuration, string path, TimeSpan timeout, Func<int, bool> mayWrite)
    {
        var session = await OpenAsync(client, configuration, timeout).ConfigureAwait(false);
        try
        {
            return new EventPipeRecording(session, PrivateFiles.CreateNew(path), mayWrite);
        }
        catch
        {
            session.Dispose();
            throw;
        }
    }

    /// <summary>Opens a session whose stream the caller reads.</summary>
    /// <exception cref="TimeoutException">The process did not answer.</exception>
    /// <exception cref="DiagnosticsClientException">The process refused, or is gone.</exception>
    public static async Task<EventPipeSession> OpenAsync(DiagnosticsClient client, EventPipeSessionConfiguration configuration, TimeSpan timeout)
    {
        using var cancel = new CancellationTokenSource();
        var starting = client.StartEventPipeSessionAsync(configuration, cancel.Token);
        try
        {
            return await starting.WaitAsync(timeout).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            await cancel.CancelAsync().ConfigureAwait(false);
            _ = CloseLateAsync(starting);
            throw;
        }
    }

    /// <summary>Asks the runtime to end the session and waits for the last events.</summary>
    /// <returns>False if the session did not end in time. The bytes received until then are kept.</returns>
    public async Task<bool> StopAsync(TimeSpan timeout)
    {
        using var cancel = new CancellationTokenSource(timeout);
        try
        {
            await _session.StopAsync(cancel.Token).WaitAsync(timeout).ConfigureAwait(false);
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e))
        {
            // The process is gone or hangs. The end of the stream shows which.
        }

        try
        {
            await Ended.WaitAsync(cancel.Token).ConfigureAwait(false);
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    public async ValueTask DisposeAsync()
    {
        _session.Dispose();
        await Ended.ConfigureAwait(false);
        await _file.DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>Closes a session that opens after the timeout: a stopped process may still take the command when it
    /// goes on.</summary>
    private static async Task CloseLateAsync(Task<EventPipeSession> starting)
    {
        await ((Task)starting).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (starting.IsCompletedSuccessfully)
        {
            (await starting.ConfigureAwait(false)).Dispose();
        }
    }

    private async Task CopyAsync()
    {
        var buffer = GC.AllocateUninitializedArray<byte>(BufferBytes);
        var full = false;
        try
        {
            while (await ReadAsync(buffer).ConfigureAwait(false) is var read and > 0)
            {
                full = full || !_mayWrite(read);
                if (full)
                {
                    continue;
                }

                await _file.WriteAsync(buffer.AsMemory(0, read)).ConfigureAwait(false);
                Interlocked.Add(ref _bytes, read);
                _tail = (ushort)(((read > 1 ? buffer[read - 2] : _tail) << 8) | buffer[read - 1]);
            }
        }
        catch (IOException e)
        {
            WriteFailure = e.Message;
        }
        finally
        {
            EndNs = MonotonicClock.NowNs;
        }
    }

    /// <returns>The bytes read, or 0 at the end of the stream and after a broken connection.</returns>
    private async Task<int> ReadAsync(byte[] buffer)
    {
        try
        {
            return await _session.EventStream.ReadAsync(buffer).ConfigureAwait(false);
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException or System.Net.Sockets.SocketException or OperationCanceledException)
        {
            return 0;
        }
    }
}
