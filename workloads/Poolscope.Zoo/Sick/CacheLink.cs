using System.Collections.Concurrent;
using System.Net.Sockets;
using System.Text;

namespace Shop.Cache;

/// <summary>
/// The only connection to a cache. Requests are written one after another. A thread reads the answers in the same order
/// and completes the callers' tasks.
/// </summary>
internal sealed class CacheLink
{
    private readonly ConcurrentQueue<TaskCompletionSource<string>> _open = [];
    private readonly NetworkStream _stream;
    private readonly TaskCreationOptions _options;
    private readonly object _writing = new();

    public CacheLink(int port, bool posts)
    {
        _stream = new TcpClient("127.0.0.1", port) { NoDelay = true }.GetStream();
        _options = posts ? TaskCreationOptions.RunContinuationsAsynchronously : TaskCreationOptions.None;
        new Thread(ReadAnswers) { IsBackground = true, Name = "cache link" }.Start();
    }

    public Task<string> GetAsync(string key)
    {
        var source = new TaskCompletionSource<string>(_options);
        lock (_writing)
        {
            _open.Enqueue(source);
            _stream.Write(Encoding.ASCII.GetBytes($"GET {key}\n"));
        }

        return source.Task;
    }

    private void ReadAnswers()
    {
        using var reader = new StreamReader(_stream, Encoding.ASCII);
        while (reader.ReadLine() is { } answer)
        {
            if (_open.TryDequeue(out var source))
            {
                source.SetResult(answer);
            }
        }
    }
}
