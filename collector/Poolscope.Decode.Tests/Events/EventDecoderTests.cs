using System.Diagnostics.Tracing;
using System.Text;
using Microsoft.Diagnostics.Tracing.Session;
using Poolscope.Decode.Events;
using Poolscope.Decode.Nettrace;
using Xunit;

namespace Poolscope.Decode.Tests.Events;

/// <summary>Payloads are read at their offsets, from bytes built field by field.</summary>
public sealed class EventDecoderTests
{
    private static readonly Guid Runtime = Guid.Parse("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
    private static readonly Guid Rundown = Guid.Parse("a669021c-c450-4609-a035-5af59af4df18");
    private static readonly Guid Tpl = Guid.Parse("2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5");
    private static readonly Guid ReferencePool = EventSource.GetGuid(typeof(NamedAsReferencePool));
    private static readonly Guid FrameworkByManifest = Guid.Parse("8e9f5090-2d75-4d03-8a81-e5afbf85daf1");
    private static readonly Guid FrameworkByName = Guid.Parse("55289187-7f82-5b3d-82d7-eb779e673075");

    [Fact]
    public void Work_items_are_known_by_the_manifest_s_guid_and_by_the_name_s()
    {
        foreach (var provider in new[] { FrameworkByManifest, FrameworkByName })
        {
            Assert.Equal("Enqueue 1000 7 42", Decode(provider, 30, 42L));
            Assert.Equal("Dequeue 1000 7 -42", Decode(provider, 31, -42L));
        }
    }

    [Fact]
    public void A_reference_pool_s_events_are_the_runtime_s_under_another_name()
    {
        const string found = "ReferencePool unnamed\n";
        Assert.Equal(found + "ReferencePool rotor", Decode(ReferencePool, 1, 'r', 'o', 't', 'o', 'r', '\0'));
        Assert.Equal(found + "Enqueue 1000 7 42", Decode(ReferencePool, 30, 42L));
        Assert.Equal(found + "Dequeue 1000 7 42", Decode(ReferencePool, 31, 42L));
        Assert.Equal(found + "WorkerStart 1000 7", Decode(ReferencePool, 50, 3, 0));
        Assert.Equal(found + "WorkerStop 1000 7", Decode(ReferencePool, 51, 3, 0));
        Assert.Equal(found + "WorkerPark 1000 7", Decode(ReferencePool, 57, 3, 0));
        Assert.Equal(found + "PoolChange 1000 7 9 6 0", Decode(ReferencePool, 55, 0d, 9, 6));
        Assert.Equal(found + "PoolLimits 1000 2 50", Decode(ReferencePool, 59, (ushort)2, (ushort)50, (ushort)0, (ushort)0));
    }

    [Fact]
    public void Requests_are_told_by_the_host_and_by_the_server()
    {
        var hosting = TraceEventProviders.GetEventSourceGuidFromName("Microsoft.AspNetCore.Hosting");
        var kestrel = TraceEventProviders.GetEventSourceGuidFromName("Microsoft-AspNetCore-Server-Kestrel");
        var activity = new Guid(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
        var calls = new CallLog();
        var decoder = new EventDecoder(calls);
        void Tell(Guid provider, int id, params string[] texts) =>
            decoder.Decode(new RawEvent(provider, id, 1000, 7, 8, Encoding.Unicode.GetBytes(string.Concat(texts.Select(t => t + '\0'))), null, activity));

        Tell(hosting, 3, "GET", "/orders/17");
        Tell(kestrel, 3, "C1", "C1:00000002", "HTTP/1.1", "/orders/17", "GET");
        Tell(kestrel, 4, "C1", "C1:00000002", "HTTP/1.1", "/orders/17", "GET");
        Tell(hosting, 4);
        Tell(hosting, 3, "GET"); // cut
        Tell(kestrel, 3, "C1", "C1:00000002", "HTTP/1.1");
        Tell(kestrel, 5, "C1");

        Assert.Equal(
            $"HandlerStart 1000 7 {activity} GET /orders/17\nRequestStart 1000 7 C1:00000002 C1 HTTP/1.1 GET /orders/17\n"
            + $"RequestStop 1000 7 C1:00000002 C1 HTTP/1.1 GET /orders/17\nHandlerStop 1000 7 {activity}",
            calls.ToString());
    }

    [Fact]
    public void Beside_a_reference_pool_the_runtime_s_own_is_left_out_and_the_rest_is_not()
    {
        var calls = new CallLog();
        var decoder = new EventDecoder(calls);
        void Tell(Guid provider, int id, params byte[] payload) => decoder.Decode(new RawEvent(provider, id, 1000, 7, 8, payload));

        Tell(FrameworkByName, 30, BitConverter.GetBytes(1L));
        Tell(ReferencePool, 30, BitConverter.GetBytes(2L));
        Tell(FrameworkByName, 30, BitConverter.GetBytes(3L));
        Tell(FrameworkByName, 31, BitConverter.GetBytes(3L));
        Tell(FrameworkByName, 150, [3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, .. new byte[14]]);
        Tell(FrameworkByName, 151, [3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]);
        foreach (var id in new[] { 50, 51, 54, 55, 56, 57, 59 })
        {
            Tell(Runtime, id, new byte[80]);
        }

        Tell(Runtime, 302);
        Tell(Tpl, 8, new byte[12]);
        Tell(ReferencePool, 31, BitConverter.GetBytes(2L));

        Assert.Equal(
            ["Enqueue 1000 7 1", "ReferencePool unnamed", "Enqueue 1000 7 2", "OtherPoolItem 7", "WaitEnd 1000 7", "TaskStarted 1000 7 0", "Dequeue 1000 7 2"],
            calls.ToString().Split('\n'));
    }

    [Fact]
    public void Timers_are_one_kind_of_transfer_and_their_numbers_stand_behind_a_text()
    {
        foreach (var provider in new[] { FrameworkByManifest, FrameworkByName })
        {
            Assert.Equal("TimerStarted 1000 7 42 250 0", Decode(provider, 150, 42L, 1, '\0', 1, 250, -1));
            Assert.Equal("TimerStarted 1000 7 42 250 9", Decode(provider, 150, 42L, 1, 'a', 'b', '\0', 1, 250, 9));
            Assert.Equal("TimerStarted 1000 7 42 4294967294 0", Decode(provider, 150, 42L, 1, '\0', 1, -2, 0));
            Assert.Equal("TimerFired 1000 7 42", Decode(provider, 151, 42L, 1, '\0'));
            Assert.Equal("", Decode(provider, 150, 42L, 2, '\0', 1, 250, -1));
            Assert.Equal("", Decode(provider, 151, 42L, 2, '\0'));
            Assert.Equal("", Decode(provider, 150, 42L, 1, 'a', 'b', '\0', 1, 250));
        }

        Assert.Equal("ReferencePool unnamed\nTimerStarted 1000 7 42 250 9", Decode(ReferencePool, 150, 42L, 1, '\0', 0, 250, 9));
        Assert.Equal("ReferencePool unnamed\nTimerFired 1000 7 42", Decode(ReferencePool, 151, 42L, 1, '\0'));
    }

    [Fact]
    public void Another_provider_s_ids_mean_nothing() => Assert.Equal("", Decode(Guid.NewGuid(), 30, 42L));

    [Fact]
    public void An_event_shorter_than_its_fields_is_passed_over() => Assert.Equal("", Decode(FrameworkByName, 30, 42));

    [Fact]
    public void Tasks()
    {
        Assert.Equal("TaskScheduled 1000 7 13 14 15", Decode(Tpl, 7, 11, 12, 13, 14, 15, 16));
        Assert.Equal("TaskStarted 1000 7 13", Decode(Tpl, 8, 11, 12, 13));
        Assert.Equal("TaskCompleted 1000 7 13", Decode(Tpl, 9, 11, 12, 13, 0));
        Assert.Equal("TaskWaitBegin 1000 7 13 True", Decode(Tpl, 10, 11, 12, 13, 1, 99));
        Assert.Equal("TaskWaitBegin 1000 7 13 False", Decode(Tpl, 10, 11, 12, 13, 2, 99));
        Assert.Equal("TaskWaitEnd 1000 7 13", Decode(Tpl, 11, 11, 12, 13));
    }

    [Fact]
    public void Pool()
    {
        Assert.Equal("WorkerStart 1000 7", Decode(Runtime, 50, 3, 0, (ushort)1));
        Assert.Equal("WorkerStop 1000 7", Decode(Runtime, 51, 3, 0, (ushort)1));
        Assert.Equal("WorkerPark 1000 7", Decode(Runtime, 57, 3, 0, (ushort)1));
        Assert.Equal("PoolChange 1000 7 9 6 2.5", Decode(Runtime, 55, 2.5, 9, 6, (ushort)1));
        Assert.Equal("HillClimbingSample 1000 2.5", Decode(Runtime, 54, 2.5, (ushort)1));
        Assert.Equal(
            "HillClimbingStats 1000 " + new HillClimbingStats(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
            Decode(Runtime, 56, 1d, 2d, 3d, 4d, 5d, 6d, 7d, 8d, 9d, (ushort)10, (ushort)1));
    }

    [Fact]
    public void The_default_maximum_fits() =>
        Assert.Equal("PoolLimits 1000 40 32767", Decode(Runtime, 59, (ushort)40, (ushort)32767, (ushort)1, (ushort)1000, (ushort)1));

    [Theory]
    [InlineData(8)]
    [InlineData(4)]
    public void Waits(int pointerSize)
    {
        Assert.Equal("WaitBegin 1000 7 False 77", Decode(pointerSize, Runtime, 301, (byte)0, (nint)77, (ushort)1));
        Assert.Equal("WaitBegin 1000 7 True 77", Decode(pointerSize, Runtime, 301, (byte)1, (nint)77, (ushort)1));
        Assert.Equal("WaitEnd 1000 7", Decode(pointerSize, Runtime, 302, (ushort)1));
        Assert.Equal(
            "ContentionBegin 1000 7 55 4711 4711", Decode(pointerSize, Runtime, 81, (byte)0, (ushort)1, (nint)55, (nint)66, 4711L));
        Assert.Equal("ContentionEnd 1000 7", Decode(pointerSize, Runtime, 91, (byte)0, (ushort)1, 12.5));
    }

    [Fact]
    public void A_contention_of_an_older_runtime_names_no_lock() =>
        Assert.Equal("ContentionBegin 1000 7 -1 -1 -1", Decode(Runtime, 81, (byte)0, (ushort)1));

    [Fact]
    public void Suspensions_and_threads()
    {
        Assert.Equal("SuspendBegin 1000 1", Decode(Runtime, 9, 1, 5, (ushort)1));
        Assert.Equal("SuspendEnd 1000", Decode(Runtime, 3, (ushort)1));
        Assert.Equal("ThreadCreated 1000 4711 24", Decode(Runtime, 85, 9L, 1L, 4, 24, 4711, (ushort)1));
        Assert.Equal("ThreadLives 1000 4711 24", Decode(Rundown, 159, 9L, 1L, 4, 24, 4711, (ushort)1));
    }

    /// <summary>Another implementation that derives a GUID from a provider's name.</summary>
    [EventSource(Name = "Poolscope-ReferencePool")]
    private sealed class NamedAsReferencePool : EventSource;

    private static string Decode(Guid provider, int id, params object[] fields) => Decode(8, provider, id, fields);

    private static string Decode(int pointerSize, Guid provider, int id, params object[] fields)
    {
        var payload = new List<byte>();
        foreach (var field in fields)
        {
            payload.AddRange(field switch
            {
                byte v => [v],
                char v => BitConverter.GetBytes(v),
                ushort v => BitConverter.GetBytes(v),
                int v => BitConverter.GetBytes(v),
                long v => BitConverter.GetBytes(v),
                double v => BitConverter.GetBytes(v),
                nint v => BitConverter.GetBytes((long)v)[..pointerSize],
                _ => throw new ArgumentException(field.GetType().Name),
            });
        }

        var calls = new CallLog();
        new EventDecoder(calls).Decode(new RawEvent(provider, id, 1000, 7, pointerSize, payload.ToArray()));
        return calls.ToString();
    }
}
