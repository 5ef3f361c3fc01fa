using Poolscope.Etw.Format;

namespace Poolscope.Etw.Reading;

/// <summary>What a trace shows of a process id. An id that was used again belongs to the process that ran longest.</summary>
/// <param name="first">When the trace began, ns: it may have run since long before.</param>
internal sealed class ProcessLife(int pid, long first)
{
    private long _start = first;
    private (string? Image, string? CommandLine) _longest;
    private string? _image;
    private long _longestNs = -1;
    private bool _ended;

    public int Pid => pid;

    /// <summary>Null: not reported.</summary>
    public string? CommandLine { get; set; }

    /// <summary>Work items that it queued and took.</summary>
    public long PoolEvents { get; set; }

    /// <summary>The runtime of .NET Framework was in it.</summary>
    public bool HasFramework { get; set; }

    /// <summary>The runtime of .NET was in it.</summary>
    public bool HasRuntime { get; set; }

    /// <summary>The kernel told its image. Known after <see cref="Describe"/>.</summary>
    public bool HasName => _longest.Image is not null;

    public void Begins(long time) => (_start, _image, CommandLine, _ended) = (time, null, null, false);

    public void Named(string? image, string? commandLine) => (_image, CommandLine) = (image ?? _image, commandLine ?? CommandLine);

    public void Ends(long time)
    {
        if (time - _start > _longestNs)
        {
            (_longestNs, _longest) = (time - _start, (_image, CommandLine));
        }

        _ended = true;
    }

    /// <param name="last">When the trace ended, ns.</param>
    public TraceProcessInfo Describe(long last)
    {
        if (!_ended)
        {
            Ends(last);
        }

        var name = _longest.Image is { } image ? Path.GetFileNameWithoutExtension(ImagePayload.FileName(image)) : $"Process({pid})";
        return new TraceProcessInfo(pid, name, _longest.CommandLine ?? "", PoolEvents, HasFramework && !HasRuntime);
    }
}
