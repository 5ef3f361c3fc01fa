using System.Runtime.CompilerServices;
using Poolscope.KernelEvents;

namespace Poolscope.Etw.Tests;

/// <summary>Logs each call as `Method argument argument ...`.</summary>
internal sealed class RecordedCalls : ISchedulerEvents
{
    public List<string> Calls { get; } = [];

    public void Switch(long time, int cpu, int prevTid, int prevState, int nextTid) => Log(time, cpu, prevTid, prevState, nextTid);

    public void Wakeup(long time, int cpu, WakeupEvent wakeup, int waker, int wakee, int targetCpu) =>
        Log(time, cpu, wakeup, waker, wakee, targetCpu);

    public void Sample(long time, int cpu, int pid, int tid, ReadOnlySpan<ulong> userStack) => Log(time, cpu, pid, tid);

    public void ThreadName(long time, int pid, int tid, string name) => Log(time, pid, tid, name);

    public void ThreadStart(long time, int pid, int tid, int parentTid) => Log(time, pid, tid, parentTid);

    public void ThreadExit(long time, int pid, int tid) => Log(time, pid, tid);

    public void SocketReport(long time, int pid, TcpReport report, int bytes, SocketEndpoints endpoints) =>
        Log(time, pid, report, bytes, endpoints.Local, endpoints.Remote);

    public void Lost(long after, long before, int cpu, long count) => Log(after, before, cpu, count);

    private void Log(object a, object b, object c, object? d = null, object? e = null, object? f = null, [CallerMemberName] string name = "") =>
        Calls.Add(string.Join(' ', new[] { name, a, b, c, d, e, f }.Where(v => v is not null)));
}
