using System.Diagnostics;
using System.Runtime.InteropServices;
using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Storms;

/// <summary>Runs two threads on each core that the process may use, which pass a byte to and fro through pipes. Each
/// pass wakes a thread on the same core. Runs until disposed.</summary>
internal sealed partial class WakeUpStorm : IDisposable
{
    // The largest set of CPUs that a kernel can be built for.
    private const int MaskWords = 8192 / 64;

    private readonly List<Thread> _threads = [];
    private readonly List<int> _ends = [];
    private readonly long _start = Stopwatch.GetTimestamp();
    private long _wakeUps;
    private volatile bool _stopping;

    /// <exception cref="WorkloadFailedException">This is not Linux, or the system has no pipe to give.</exception>
    public WakeUpStorm()
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new WorkloadFailedException("the storm of wake-ups is Linux's");
        }

        foreach (var cpu in AllowedCpus())
        {
            var (there, back) = (NewPipe(), NewPipe());
            Start(cpu, there.Read, back.Write);
            Start(cpu, back.Read, there.Write);
            Pass(there.Write);
        }
    }

    public double WakeUpsPerSecond => Interlocked.Read(ref _wakeUps) / Stopwatch.GetElapsedTime(_start).TotalSeconds;

    /// <summary>Ends the threads. A thread that sees the end passes one more byte, so that its partner sees it
    /// too.</summary>
    public void Dispose()
    {
        _stopping = true;
        _threads.ForEach(thread => thread.Join());
        _ends.ForEach(end => _ = Close(end));
    }

    private static unsafe void Pass(int end)
    {
        byte ball = 1;
        _ = Write(end, &ball, 1);
    }

    private static unsafe List<int> AllowedCpus()
    {
        var mask = stackalloc ulong[MaskWords];
        new Span<ulong>(mask, MaskWords).Clear();
        _ = GetAffinity(0, MaskWords * sizeof(ulong), mask);
        var cpus = new List<int>();
        for (var cpu = 0; cpu < MaskWords * 64; cpu++)
        {
            if ((mask[cpu / 64] >> (cpu % 64) & 1) != 0)
            {
                cpus.Add(cpu);
            }
        }

        return cpus;
    }

    private unsafe (int Read, int Write) NewPipe()
    {
        var ends = stackalloc int[2];
        if (Pipe(ends) != 0)
        {
            throw new WorkloadFailedException($"no pipe: error {Marshal.GetLastPInvokeError()}");
        }

        _ends.AddRange([ends[0], ends[1]]);
        return (ends[0], ends[1]);
    }

    private void Start(int cpu, int from, int to)
    {
        var thread = new Thread(() => Play(cpu, from, to)) { Name = "Storm", IsBackground = true };
        _threads.Add(thread);
        thread.Start();
    }

    private unsafe void Play(int cpu, int from, int to)
    {
        var mask = stackalloc ulong[MaskWords];
        new Span<ulong>(mask, MaskWords).Clear();
        mask[cpu / 64] = 1UL << (cpu % 64);
        _ = SetAffinity(0, MaskWords * sizeof(ulong), mask);
        var passes = 0L;
        byte ball = 1;
        while (!_stopping && Read(from, &ball, 1) == 1)
        {
            Pass(to);
            if (++passes % 1024 == 0)
            {
                Interlocked.Add(ref _wakeUps, 1024);
            }
        }

        Pass(to);
    }

    [LibraryImport("libc", EntryPoint = "pipe", SetLastError = true)]
    private static unsafe partial int Pipe(int* ends);

    [LibraryImport("libc", EntryPoint = "read")]
    private static unsafe partial nint Read(int end, byte* buffer, nint count);

    [LibraryImport("libc", EntryPoint = "write")]
    private static unsafe partial nint Write(int end, byte* buffer, nint count);

    [LibraryImport("libc", EntryPoint = "close")]
    private static partial int Close(int end);

    [LibraryImport("libc", EntryPoint = "sched_getaffinity")]
    private static unsafe partial int GetAffinity(int tid, nint bytes, ulong* mask);

    [LibraryImport("libc", EntryPoint = "sched_setaffinity")]
    private static unsafe partial int SetAffinity(int tid, nint bytes, ulong* mask);
}
