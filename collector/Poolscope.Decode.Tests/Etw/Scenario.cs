using System.Net;
using Poolscope.KernelEvents;

namespace Poolscope.Decode.Tests.Etw;

/// <summary>Two cores, a pool that grows from two workers to three, a competitor from another process, a lock, a task,
/// a timer, a request, a call, a collection: one of everything that the tables distinguish. Times here are in
/// microseconds.</summary>
internal static class Scenario
{
    public const int Target = 100;
    public const long End = 5_000_000;

    private const int Other = 200;
    private const int Idle = 0;
    private const int Main = 104;
    private const int First = 108;
    private const int Second = 112;
    private const int Third = 116;
    private const int Rival = 204;
    private const int Gate = 120;

    private static readonly Guid Request = new(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
    private static readonly Guid Call = new(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2);
    private static readonly Guid Head = new(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3);
    private static readonly SocketEndpoints Caller = new(new IPEndPoint(IPAddress.Loopback, 5000), new IPEndPoint(IPAddress.Parse("192.0.2.7"), 40000));
    private static readonly SocketEndpoints Database = new(new IPEndPoint(IPAddress.IPv6Loopback, 40001), new IPEndPoint(IPAddress.Parse("2001:db8::9"), 5432));

    public static void Play(IScenarioSystem on)
    {
        on.Exists(Target, Main, "app");
        on.Exists(Target, First, ".NET TP Worker");
        on.Exists(Target, Second, ".NET TP Worker");
        on.Exists(Target, Gate, ".NET TP Gate");
        on.Exists(Other, Rival, "rival");
        on.Runtime(RuntimeProvider.Clr, 59, Us(5), Main, (ushort)2, (ushort)32767, (ushort)1, (ushort)1000, (ushort)1);

        // A request arrives, which the first worker will read; the second one will call a service.
        on.Accepted(Us(6), Caller);
        on.Arrived(Us(9), 80, Caller);

        // Main starts a timer of 1 ms, then queues two items and wakes a worker for each; both cores were idle.
        on.Switch(Us(10), 0, Idle, Leaves.Blocked, Main);
        on.Runtime(RuntimeProvider.Framework, 150, Us(12), Main, 72L, 1, "", 1, 1, -1);
        on.Runtime(RuntimeProvider.Framework, 30, Us(20), Main, 71L);
        on.Wake(Us(21), 0, Main, First);
        on.Switch(Us(25), 1, Idle, Leaves.Blocked, First);
        on.Runtime(RuntimeProvider.Framework, 31, Us(26), First, 71L);
        on.Read(Us(27), First, 80, Caller);
        on.Active(RuntimeProvider.Hosting, 3, Us(28), First, Request, Guid.Empty, "GET", "/orders");
        on.Active(RuntimeProvider.Kestrel, 3, Us(29), First, Request, Guid.Empty, "C1", "C1:1", "HTTP/1.1", "/orders", "GET");
        on.Runtime(RuntimeProvider.Framework, 30, Us(30), Main, 72L);
        on.Wake(Us(31), 0, Main, Second);
        on.Switch(Us(40), 0, Main, Leaves.Blocked, Second);
        on.Runtime(RuntimeProvider.Framework, 31, Us(41), Second, 72L);

        on.Active(RuntimeProvider.HttpCalls, 1, Us(42), Second, Call, Request, "http", "db", 5432, "/rows", (byte)1, (byte)1, (byte)0);
        on.Connects(Us(43), Second, Database);
        on.Active(RuntimeProvider.HttpCalls, 4, Us(45), Second, Guid.Empty, Guid.Empty, (byte)1, (byte)1, 7L, "http", "db", 5432, "");
        on.Active(RuntimeProvider.HttpCalls, 7, Us(46), Second, Head, Call, 7L);
        on.Sent(Us(47), Second, 60, Database);
        on.Arrived(Us(90), 900, Database);

        // The rival takes a core from the first worker, then the worker's own quantum ends; a sample finds each.
        on.WakeByInterrupt(Us(100), 1, First, Rival);
        on.Switch(Us(101), 1, First, Leaves.Preempted, Rival);
        on.Sample(Us(150), 1, Other, Rival);
        on.Switch(Us(200), 1, Rival, Leaves.Blocked, First);
        on.Sample(Us(250), 0, Target, Second);
        on.Switch(Us(300), 1, First, Leaves.QuantumOver, Rival);
        on.Wake(Us(310), 1, Rival, Main);
        on.Switch(Us(350), 1, Rival, Leaves.QuantumOver, First);

        // The second worker finds a lock held by the first, and sleeps on it; main, woken meanwhile, takes its core.
        on.Read(Us(380), Second, 900, Database);
        on.Active(RuntimeProvider.HttpCalls, 2, Us(390), Second, Call, Guid.Empty, 200);
        on.Runtime(RuntimeProvider.Clr, 81, Us(400), Second, (byte)0, (ushort)1, (nint)55, (nint)66, (long)First);
        on.Runtime(RuntimeProvider.Clr, 301, Us(402), Second, (byte)0, (nint)77, (ushort)1);
        on.Switch(Us(405), 0, Second, Leaves.Blocked, Main);
        on.Runtime(RuntimeProvider.Tpl, 7, Us(410), Main, 1, 0, 501, 0, 0, 1);
        on.Runtime(RuntimeProvider.Framework, 30, Us(411), Main, 73L);
        on.Runtime(RuntimeProvider.Tpl, 10, Us(415), Main, 1, 0, 501, 1, 0);
        on.Switch(Us(420), 0, Main, Leaves.Blocked, Rival);

        // No worker is free for the third item. The gate thread ends the starvation, and a third worker starts.
        on.WakeByInterrupt(Us(900), 0, Rival, Gate);
        on.Switch(Us(901), 0, Rival, Leaves.Preempted, Gate);
        on.Runtime(RuntimeProvider.Clr, 55, Us(905), Gate, 12.5, 3, 6, (ushort)1);
        on.Born(Us(910), 0, Gate, Target, Third, ".NET TP Worker");
        on.FirstWake(Us(911), 0, Gate, Third);
        on.Switch(Us(920), 0, Gate, Leaves.Blocked, Third);
        on.Runtime(RuntimeProvider.Clr, 85, Us(925), Third, 9L, 1L, 4, 0, Third, (ushort)1);
        on.Runtime(RuntimeProvider.Clr, 50, Us(930), Third, 3, 0, (ushort)1);
        on.Runtime(RuntimeProvider.Framework, 31, Us(935), Third, 73L);
        on.Runtime(RuntimeProvider.Tpl, 8, Us(936), Third, 1, 0, 501);

        // A collection suspends all threads; then the first worker releases the lock, which wakes the second.
        on.Runtime(RuntimeProvider.Clr, 9, Us(1000), First, 1, 5, (ushort)1);
        on.Runtime(RuntimeProvider.Clr, 3, Us(1100), First, (ushort)1);
        on.Runtime(RuntimeProvider.Tpl, 9, Us(1200), Third, 1, 0, 501, (byte)0);
        on.Wake(Us(1210), 1, First, Second);
        on.Active(RuntimeProvider.Hosting, 4, Us(1230), First, Request, Guid.Empty);
        on.Sent(Us(1240), First, 300, Caller);
        on.Active(RuntimeProvider.Kestrel, 4, Us(1245), First, Request, Guid.Empty, "C1", "C1:1", "HTTP/1.1", "/orders", "GET");
        on.Runtime(RuntimeProvider.Clr, 57, Us(1250), First, 3, 0, (ushort)1);
        on.Switch(Us(1260), 1, First, Leaves.Blocked, Second);
        on.Runtime(RuntimeProvider.Clr, 302, Us(1261), Second, (ushort)1);
        on.Runtime(RuntimeProvider.Clr, 91, Us(1262), Second, (byte)0, (ushort)1, 860_000.0);
        on.Runtime(RuntimeProvider.Framework, 151, Us(1290), Second, 72L, 1, "");
        on.Runtime(RuntimeProvider.Clr, 54, Us(1300), Second, 3.5, (ushort)1);
        on.Runtime(RuntimeProvider.Clr, 57, Us(1400), Second, 3, 0, (ushort)1);
        on.Switch(Us(1410), 1, Second, Leaves.Blocked, Idle);

        on.Closed(Us(1500), Caller);

        // The third worker has nothing more to do, and ends.
        on.Runtime(RuntimeProvider.Clr, 51, Us(2000), Third, 2, 0, (ushort)1);
        on.Exits(Us(2010), 0, Target, Third);
        on.Switch(Us(2020), 0, Third, Leaves.Ended, Rival);
        on.Switch(Us(4000), 0, Rival, Leaves.Blocked, Idle);
    }

    private static long Us(long microseconds) => microseconds * 1000;
}
