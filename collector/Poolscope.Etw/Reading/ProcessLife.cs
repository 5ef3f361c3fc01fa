using Poolscope.Etw.Format;

namespace Poolscope.Etw.Reading;

/// <summary>The record of a process id in a trace. A reused id belongs to the process that ran longest.</summary>
/// <param name="first">Time at which the trace began, ns. The process may have run since long before.</param>
internal sealed class ProcessLife(int pid, long first)
{
    private long _start = first;
    private (string? Image, string? CommandLine) _longest;
    private string? _image;
    private long _longestNs = -1;
    private bool _ended;

    public int Pid => pid;

    /// <summary>The command line; null if not reported.</summary>
    public string? CommandLine { get; set; }

    /// <summary>Work items that the process queued and took.</summary>
    public long PoolEvents { get; set; }

    /// <summary>Whether the process loaded the runtime of .NET Framework.</summary>
    public bool HasFramework { get; set; }

    /// <summary>Whether the process loaded the runtime of .NET.</summary>
    public bool HasRuntime { get; set; }

    /// <summary>Whether the kernel reported the process's image. Valid after <see cref="Describe"/>.</summary>
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

    /// <param name="last">Time at which the trace ended, ns.</param>
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
