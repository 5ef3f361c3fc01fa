using System.Globalization;
using Poolscope.Etl.Format;

namespace Poolscope.Etl.Tests;

/// <summary>Maps the names in the baselines, which are TraceEvent's, to the ids in the files.</summary>
internal static class KnownEvents
{
    private const string Text = """
        Microsoft-Windows-DotNETRuntime/ e13c0d23-ccbc-4e12-931b-d9cc2eee27e4
        GC/Start 1
        GC/Stop 2
        GC/RestartEEStop 3
        GC/HeapStats 4
        GC/CreateSegment 5
        GC/RestartEEStart 7
        GC/SuspendEEStop 8
        GC/SuspendEEStart 9
        GC/AllocationTick 10
        GC/TerminateConcurrentThread 12
        GC/FinalizersStop 13
        GC/FinalizersStart 14
        Type/BulkType 15
        GC/BulkSurvivingObjectRanges 21
        GC/BulkMovedObjectRanges 22
        GC/GenerationRange 23
        GC/MarkStackRoots 25
        GC/MarkFinalizeQueueRoots 26
        GC/MarkHandles 27
        GC/MarkCards 28
        GC/FinalizeObject 29
        GC/PinObjectAtGCTime 33
        GC/Triggered 35
        ThreadPoolWorkerThread/Start 50
        Exception/Start 80
        AppDomainResourceManagement/ThreadCreated 85
        Method/LoadVerbose 143
        Method/UnloadVerbose 144
        Method/JittingStarted 145
        Loader/DomainModuleLoad 151
        Loader/ModuleLoad 152
        Loader/ModuleUnload 153
        Loader/AssemblyLoad 154
        Loader/AssemblyUnload 155
        Loader/AppDomainLoad 156
        Loader/AppDomainUnload 157
        Runtime/Start 187
        GarbageCollection/IncreaseMemoryPressure 200
        GC/MarkWithType 202
        GC/PerHeapHistory 204
        GC/GlobalHeapHistory 205
        GC/LOHCompact 208
        GC/FitBucketInfo 209
        Microsoft-Windows-DotNETRuntimeRundown/ a669021c-c450-4609-a035-5af59af4df18
        Loader/DomainModuleDCStop 152
        Loader/ModuleDCStop 154
        Loader/AssemblyDCStop 156
        Loader/AppDomainDCStop 158
        Method/DCStopComplete 146
        Method/DCStopInit 148
        Runtime/Start 187
        Microsoft-Windows-DotNETRuntimePrivate/ 763fd754-7086-4dfe-95eb-c01a46faf4ca
        GC/Settings 2
        GC/PerHeapHistory 4
        GC/GlobalHeapHistory 5
        GC/MarkStackRoots 7
        GC/MarkFinalizeQueueRoots 8
        GC/MarkHandles 9
        GC/MarkCards 10
        Binding/NgenPhaseStart 161
        Binding/NgenPhaseStop 162
        NgenBinder/NgenBind 188
        Binding/FusionMessage 196
        System.Diagnostics.Eventing.FrameworkEventSource/ 8e9f5090-2d75-4d03-8a81-e5afbf85daf1
        ThreadPoolEnqueueWork 30
        ThreadPoolDequeueWork 31
        ManifestData 65534
        System.Threading.Tasks.TplEventSource/ 2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5
        TaskScheduled/Send 7
        TaskExecute/Start 8
        TaskExecute/Stop 9
        ManifestData 65534
        Microsoft-Windows-Kernel-File/ edd08927-9cc4-4e65-b970-c2560fb5c289
        Create 12
        Microsoft-Windows-Kernel-Process/ 22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716
        ProcessStart/Start 1
        ProcessStop/Stop 2
        PerfView/ a8a71ac1-040f-54a2-07ca-00a89b5ab761
        PerfViewLog 22
        ProviderEnableParameters 14
        KernelTraceControl/ b3e675d7-2554-4f18-830b-2762732560de
        ImageID opcode 0
        ImageID/None opcode 32
        ImageID/DbgID_RSDS opcode 36
        ImageID/DbgID_ILRSDS opcode 37
        ImageID/FileVersion opcode 64
        Windows Kernel/ kernel
        EventTrace 0000
        EventTrace/Extension 0005
        EventTrace/RundownComplete 0008
        DiskIO/Read 010a
        DiskIO/Write 010b
        DiskIO/ReadInit 010c
        DiskIO/WriteInit 010d
        DiskIO/FlushBuffers 010e
        DiskIO/FlushInit 010f
        Memory/HardFault 0220
        Process/Start 0301
        Process/Stop 0302
        Process/DCStart 0303
        Process/DCStop 0304
        Process/Defunct 0327
        Process/PerfCtr 0320
        Process/PerfCtrRundown 0321
        Image/Load 030a
        Thread/Start 0501
        Thread/Stop 0502
        TcpIp/SendIPV6 061a
        TcpIp/RecvIPV6 061b
        UdpIp/Send 080a
        UdpIp/Recv 080b
        UdpIp/SendIPV6 081a
        UdpIp/RecvIPV6 081b
        SystemConfig/CPU 0b0a
        SystemConfig/PhyDisk 0b0b
        SystemConfig/LogDisk 0b0c
        SystemConfig/NIC 0b0d
        SystemConfig/Services 0b0f
        SystemConfig/Power 0b10
        SystemConfig/Network 0b11
        SystemConfig/PnP 0b16
        SystemConfig/IDEChannel 0b17
        PerfInfo/CollectionStart 0f49
        PerfInfo/CollectionEnd 0f4a
        Image/Unload 1402
        Image/DCStart 1403
        Image/DCStop 1404
        """;

    /// <summary>Events by TraceEvent's name.</summary>
    public static IReadOnlyDictionary<string, EventKey> ByName { get; } = Parse();

    private static Dictionary<string, EventKey> Parse()
    {
        var known = new Dictionary<string, EventKey>();
        var (prefix, provider) = ("", default(Guid?));
        foreach (var line in Text.Split('\n'))
        {
            var (name, number) = (line[..line.LastIndexOf(' ')], line[(line.LastIndexOf(' ') + 1)..]);
            if (name.EndsWith('/'))
            {
                (prefix, provider) = (name, Guid.TryParse(number, out var guid) ? guid : null);
                continue;
            }

            var key = provider is null ? new EventKey(Guid.Empty, 0, 0, ushort.Parse(number, NumberStyles.HexNumber, CultureInfo.InvariantCulture))
                : name.EndsWith(" opcode", StringComparison.Ordinal) ? new EventKey(provider.Value, 0, byte.Parse(number, CultureInfo.InvariantCulture), null)
                : new EventKey(provider.Value, int.Parse(number, CultureInfo.InvariantCulture), 0, null);
            known.Add(prefix + name.Replace(" opcode", "", StringComparison.Ordinal), key);
        }

        return known;
    }
}

/// <summary>The identity of an event: provider and id, class and opcode, or the kernel's hook.</summary>
internal readonly record struct EventKey(Guid Provider, int Id, int Opcode, ushort? Hook)
{
    public static EventKey Of(EtlEvent e) => e.Hook is { } hook ? new EventKey(Guid.Empty, 0, 0, hook)
        : e.Kind == HeaderKind.Manifest ? new EventKey(e.Provider, e.Id, 0, null)
        : new EventKey(e.Provider, 0, e.Opcode, null);
}
