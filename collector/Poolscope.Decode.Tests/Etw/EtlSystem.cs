using Poolscope.Decode.Streams;
using Poolscope.Decode.Tests.Captures;
using Poolscope.Etl.Format;
using Poolscope.Etw.Format;
using Poolscope.Etw.Reading;
using Poolscope.Fuzz.Corpus;
using Poolscope.KernelEvents;
using Poolscope.Tables;

namespace Poolscope.Decode.Tests.Etw;

/// <summary>The same scenario in an .etl file, written as by a Windows session and read back.</summary>
internal sealed class EtlSystem(int pointerSize, bool compressed) : WindowsSystem(pointerSize)
{
    private const long NsPerTick = 100;
    private const int RelatedActivity = 1;

    private readonly EtlWriter _file = new(new EtlWriting { PointerSize = pointerSize, Compressed = compressed, FirstTicks = 0, BufferBytes = 512 });

    public override IReadOnlyList<Table> Tables()
    {
        var folder = Directory.CreateTempSubdirectory("poolscope-etl-");
        try
        {
            var path = Path.Combine(folder.FullName, "kernel.etl");
            File.WriteAllBytes(path, _file.ToFile());
            var stream = new EtwStream(Scenario.Target, 0, Scenario.End);
            using var trace = EtlTrace.Open(path, folder.FullName);
            var read = trace.Read(Scenario.Target, stream.Scheduler, stream, static (_, _) => false, CancellationToken.None);
            Xunit.Assert.Equal((false, null, 0), (read.Cut, read.Damage, read.Lost));
            stream.KernelWasRecorded();
            stream.Scheduler.Finish();
            stream.Finish(Manifests.Target(launched: false) with { Pid = Scenario.Target }, 0);
            return [.. stream.Tables(Scenario.Target)];
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    protected override void Tell(KernelEvent what, long time, int cpu, int author, byte[] payload)
    {
        var hook = what switch
        {
            KernelEvent.Switch => KernelHooks.Switch,
            KernelEvent.Ready => KernelHooks.Ready,
            KernelEvent.Sample => KernelHooks.Sample,
            KernelEvent.ThreadExists => KernelHooks.ThreadExists,
            KernelEvent.ThreadStart => KernelHooks.ThreadStart,
            KernelEvent.ThreadEnd => KernelHooks.ThreadEnd,
            _ => KernelHooks.ThreadName,
        };

        // As on Windows, switches and samples have the header without a thread.
        _file.Kernel(hook, time / NsPerTick, cpu, payload, pid: Scenario.Target, tid: what is KernelEvent.Switch or KernelEvent.Sample ? -1 : author);
    }

    protected override void Tell(TcpReport report, bool ipv6, long time, byte[] payload)
    {
        var hook = report switch
        {
            TcpReport.Accept => KernelHooks.TcpAccept,
            TcpReport.Connect => KernelHooks.TcpConnect,
            TcpReport.Disconnect => KernelHooks.TcpDisconnect,
            TcpReport.Received => KernelHooks.TcpReceive,
            TcpReport.Retransmitted => KernelHooks.TcpRetransmit,
            _ => KernelHooks.TcpSend,
        };
        _file.Kernel(hook + (ipv6 ? KernelHooks.TcpVersion6 : 0), time / NsPerTick, 0, payload);
    }

    protected override void Tell(Guid provider, int id, long time, int tid, Guid activity, Guid related, byte[] payload) =>
        _file.Manifest(
            provider, id, time / NsPerTick, tid % 2, Scenario.Target, tid, payload, activity, related == Guid.Empty ? [] : [(RelatedActivity, related.ToByteArray())]);
}
