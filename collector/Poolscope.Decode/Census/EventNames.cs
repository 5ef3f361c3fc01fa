using System.Collections.Frozen;
using System.Globalization;
using Poolscope.Decode.Events;
using Poolscope.Decode.Nettrace.Kinds;

namespace Poolscope.Decode.Census;

/// <summary>Names the runtime's native events, which a trace lists by id only (from dotnet/runtime's
/// ClrEtwAll.man).</summary>
internal static class EventNames
{
    private const string Clr = "Microsoft-Windows-DotNETRuntime";

    private static readonly FrozenDictionary<int, string> Runtime = new Dictionary<int, string>
    {
        [1] = "GCStart",
        [2] = "GCEnd",
        [3] = "GCRestartEEEnd",
        [4] = "GCHeapStats",
        [5] = "GCCreateSegment",
        [6] = "GCFreeSegment",
        [7] = "GCRestartEEBegin",
        [8] = "GCSuspendEEEnd",
        [9] = "GCSuspendEEBegin",
        [10] = "GCAllocationTick",
        [11] = "GCCreateConcurrentThread",
        [12] = "GCTerminateConcurrentThread",
        [13] = "GCFinalizersEnd",
        [14] = "GCFinalizersBegin",
        [15] = "BulkType",
        [16] = "GCBulkRootEdge",
        [18] = "GCBulkNode",
        [19] = "GCBulkEdge",
        [20] = "GCSampledObjectAllocationHigh",
        [21] = "GCBulkSurvivingObjectRanges",
        [22] = "GCBulkMovedObjectRanges",
        [23] = "GCGenerationRange",
        [29] = "FinalizeObject",
        [30] = "SetGCHandle",
        [31] = "DestroyGCHandle",
        [32] = "GCSampledObjectAllocationLow",
        [33] = "PinObjectAtGCTime",
        [34] = "PinPlugAtGCTime",
        [35] = "GCTriggered",
        [39] = "GCDynamicEvent",
        [44] = "IOThreadCreate",
        [45] = "IOThreadTerminate",
        [46] = "IOThreadRetire",
        [47] = "IOThreadUnretire",
        [50] = "ThreadPoolWorkerThreadStart",
        [51] = "ThreadPoolWorkerThreadStop",
        [52] = "ThreadPoolWorkerThreadRetirementStart",
        [53] = "ThreadPoolWorkerThreadRetirementStop",
        [54] = "ThreadPoolWorkerThreadAdjustmentSample",
        [55] = "ThreadPoolWorkerThreadAdjustmentAdjustment",
        [56] = "ThreadPoolWorkerThreadAdjustmentStats",
        [57] = "ThreadPoolWorkerThreadWait",
        [58] = "YieldProcessorMeasurement",
        [59] = "ThreadPoolMinMaxThreads",
        [60] = "ThreadPoolWorkingThreadCount",
        [61] = "ThreadPoolEnqueue",
        [62] = "ThreadPoolDequeue",
        [63] = "ThreadPoolIOEnqueue",
        [64] = "ThreadPoolIODequeue",
        [65] = "ThreadPoolIOPack",
        [70] = "ThreadCreating",
        [71] = "ThreadRunning",
        [72] = "MethodDetails",
        [73] = "TypeLoadStart",
        [74] = "TypeLoadStop",
        [80] = "ExceptionThrown",
        [81] = "ContentionStart",
        [82] = "CLRStackWalk",
        [85] = "ThreadCreated",
        [86] = "ThreadTerminated",
        [90] = "ContentionLockCreated",
        [91] = "ContentionStop",
        [141] = "MethodLoad",
        [142] = "MethodUnload",
        [143] = "MethodLoadVerbose",
        [144] = "MethodUnloadVerbose",
        [145] = "MethodJittingStarted",
        [146] = "MethodJitMemoryAllocatedForCode",
        [151] = "DomainModuleLoad",
        [152] = "ModuleLoad",
        [153] = "ModuleUnload",
        [154] = "AssemblyLoad",
        [155] = "AssemblyUnload",
        [156] = "AppDomainLoad",
        [157] = "AppDomainUnload",
        [159] = "R2RGetEntryPoint",
        [160] = "R2RGetEntryPointStart",
        [185] = "MethodJitInliningSucceeded",
        [186] = "MethodJitInliningFailed",
        [187] = "RuntimeInformationStart",
        [188] = "MethodJitTailCallSucceeded",
        [189] = "MethodJitTailCallFailed",
        [190] = "MethodILToNativeMap",
        [191] = "MethodJitTailCallFailed",
        [192] = "MethodJitInliningFailed",
        [200] = "IncreaseMemoryPressure",
        [201] = "DecreaseMemoryPressure",
        [202] = "GCMarkWithType",
        [203] = "GCJoin",
        [204] = "GCPerHeapHistory",
        [205] = "GCGlobalHeapHistory",
        [206] = "GenAwareBegin",
        [207] = "GenAwareEnd",
        [208] = "GCLOHCompact",
        [209] = "GCFitBucketInfo",
        [250] = "ExceptionCatchStart",
        [251] = "ExceptionCatchStop",
        [252] = "ExceptionFinallyStart",
        [253] = "ExceptionFinallyStop",
        [254] = "ExceptionFilterStart",
        [255] = "ExceptionFilterStop",
        [256] = "ExceptionThrownStop",
        [280] = "TieredCompilationSettings",
        [281] = "TieredCompilationPause",
        [282] = "TieredCompilationResume",
        [283] = "TieredCompilationBackgroundJitStart",
        [284] = "TieredCompilationBackgroundJitStop",
        [290] = "AssemblyLoadStart",
        [291] = "AssemblyLoadStop",
        [292] = "ResolutionAttempted",
        [296] = "KnownPathProbed",
        [300] = "ExecutionCheckpoint",
        [301] = "WaitHandleWaitStart",
        [302] = "WaitHandleWaitStop",
        [303] = "AllocationSampled",
    }.ToFrozenDictionary();

    private static readonly FrozenDictionary<int, string> Rundown = new Dictionary<int, string>
    {
        [10] = "GCSettingsRundown",
        [141] = "MethodDCStart",
        [142] = "MethodDCEnd",
        [143] = "MethodDCStartVerbose",
        [144] = "MethodDCEndVerbose",
        [145] = "DCStartComplete",
        [146] = "DCEndComplete",
        [147] = "DCStartInit",
        [148] = "DCEndInit",
        [149] = "MethodDCStartILToNativeMap",
        [150] = "MethodDCEndILToNativeMap",
        [151] = "DomainModuleDCStart",
        [152] = "DomainModuleDCEnd",
        [153] = "ModuleDCStart",
        [154] = "ModuleDCEnd",
        [155] = "AssemblyDCStart",
        [156] = "AssemblyDCEnd",
        [157] = "AppDomainDCStart",
        [158] = "AppDomainDCEnd",
        [159] = "ThreadDC",
        [187] = "RuntimeInformationDCStart",
        [280] = "TieredCompilationSettingsDCStart",
        [300] = "ExecutionCheckpointDCEnd",
    }.ToFrozenDictionary();

    /// <summary>Returns the name in the file; for a native event, the name known here or else its id.</summary>
    public static string Of(EventKind kind)
    {
        if (kind.Name.Length > 0)
        {
            return kind.Name;
        }

        var names = kind.Provider switch { Clr => Runtime, ThreadEvents.RundownProvider => Rundown, _ => FrozenDictionary<int, string>.Empty };
        return names.GetValueOrDefault(kind.IdInFile) ?? (kind.Provider, kind.IdInFile) switch
        {
            ("Microsoft-DotNETCore-SampleProfiler", 0) => "ThreadSample",
            ("Microsoft-DotNETCore-EventPipe", 1) => "ProcessInfo",
            _ => string.Create(CultureInfo.InvariantCulture, $"event {kind.IdInFile}"),
        };
    }
}
