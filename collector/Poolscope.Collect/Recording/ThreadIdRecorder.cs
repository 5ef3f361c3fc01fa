using Poolscope.Collect.Facts;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Readings;

namespace Poolscope.Collect.Recording;

/// <summary>Writes both ids of every thread of a target in a separate pid namespace (a container): the runtime shows
/// the inner one, the kernel the outer one. It does not see a thread that lives for less than a beat. A pool's threads
/// live for seconds.</summary>
internal sealed class ThreadIdRecorder : IDisposable
{
    private readonly ProcFs _proc;
    private readonly int _pid;
    private readonly ReadingsFile? _file;
    private HashSet<int> _known = [];

    /// <summary>Writes nothing if both ids are the same.</summary>
    public ThreadIdRecorder(ProcFs proc, int pid, string folder)
    {
        (_proc, _pid) = (proc, pid);
        if (proc.NamespacePid(pid) != pid)
        {
            _file = new ReadingsFile(folder, ThreadIdStream.FileName, ThreadIdStream.Header);
            Sample();
        }
    }

    /// <summary>Adds the threads that are new. It reads an id again if a later thread has it.</summary>
    public void Sample()
    {
        if (_file is not { IsOpen: true })
        {
            return;
        }

        var now = MonotonicClock.NowNs;
        var present = new HashSet<int>();
        foreach (var tid in _proc.ThreadsOf(_pid))
        {
            if (_known.Contains(tid))
            {
                present.Add(tid);
            }
            else if (_proc.NamespaceTid(_pid, tid) is { } inside)
            {
                present.Add(tid);
                _file.Write($"{now},{tid},{inside}");
            }
        }

        _known = present;
    }

    public void Dispose() => _file?.Dispose();
}
