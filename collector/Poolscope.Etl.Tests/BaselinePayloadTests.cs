using System.Buffers.Binary;
using System.Text;
using Poolscope.Etl.Files;
using Poolscope.Etl.Format;
using Poolscope.Etl.Reading;
using Xunit;

namespace Poolscope.Etl.Tests;

/// <summary>Payloads of real files hold the fields that TraceEvent read from them on Windows.</summary>
public sealed class BaselinePayloadTests
{
    [Theory]
    [InlineData("Microsoft-Windows-DotNETRuntime/GC/Start", "Count@0 ClrInstanceID@16u2")]
    [InlineData("Microsoft-Windows-DotNETRuntime/GC/HeapStats", "GenerationSize0@0u8 TotalPromotedSize0@8u8 FinalizationPromotedSize@64u8 PinnedObjectCount@80 GCHandleCount@88 ClrInstanceID@92u2")]
    [InlineData("Microsoft-Windows-DotNETRuntime/GC/CreateSegment", "Address@0u8 Size@8u8 ClrInstanceID@20u2")]
    [InlineData("Microsoft-Windows-DotNETRuntime/GC/AllocationTick", "AllocationAmount@0 ClrInstanceID@8u2 AllocationAmount64@10u8 TypeID@18p")]
    [InlineData("Microsoft-Windows-DotNETRuntime/GC/GenerationRange", "RangeStart@1u8 RangeUsedLength@9u8 RangeReservedLength@17u8 ClrInstanceID@25u2")]
    [InlineData("Microsoft-Windows-DotNETRuntime/ThreadPoolWorkerThread/Start", "ActiveWorkerThreadCount@0 RetiredWorkerThreadCount@4 ClrInstanceID@8u2")]
    [InlineData("Microsoft-Windows-DotNETRuntime/AppDomainResourceManagement/ThreadCreated", "ManagedThreadID@0u8 AppDomainID@8u8 OSThreadID@24 ClrInstanceID@28u2")]
    [InlineData("Microsoft-Windows-DotNETRuntime/Method/LoadVerbose", "MethodID@0u8 ModuleID@8u8 MethodStartAddress@16u8 MethodSize@24 MethodToken@28")]
    [InlineData("System.Diagnostics.Eventing.FrameworkEventSource/ThreadPoolEnqueueWork", "workID@0u8")]
    [InlineData("System.Threading.Tasks.TplEventSource/TaskScheduled/Send", "OriginatingTaskSchedulerID@0 OriginatingTaskID@4 TaskID@8 CreatingTaskID@12")]
    [InlineData("System.Threading.Tasks.TplEventSource/TaskExecute/Start", "OriginatingTaskSchedulerID@0 OriginatingTaskID@4 TaskID@8")]
    [InlineData("Windows Kernel/Process/Start", "UniqueProcessKey@0u8 ProcessID@8 ParentID@12 SessionID@16 ExitStatus@20 PageDirectoryBase@24u8")]
    [InlineData("Windows Kernel/Thread/Start", "StackBase@8u8 StackLimit@16u8 UserStackBase@24u8 Win32StartAddr@48u8 TebBase@56u8 SubProcessTag@64")]
    [InlineData("Windows Kernel/Image/Load", "ImageBase@0u8 ImageSize@8u8 ImageChecksum@20 DefaultBase@32u8")]
    [InlineData("Windows Kernel/TcpIp/RecvIPV6", "size@4")]
    public void Fields_are_equal(string name, string fields)
    {
        var expected = Baseline.Of("net.4.5.2.x64.baseline.txt").Events.Where(e => e.Name == name).ToList();
        var compared = 0;
        Assert.NotEmpty(expected);
        using var files = EtlFiles.Open(SampleFiles.Require("net.4.5.2.x64.etl.zip"), Path.GetTempPath());
        using var merge = new EtlMerge(files.All);
        while (compared < expected.Count && merge.Next())
        {
            if (EventKey.Of(merge.Current) == KnownEvents.ByName[name])
            {
                Compare(expected[compared++], merge.Current, fields);
            }
        }

        Assert.Equal(expected.Count, compared);
    }

    [Fact]
    public void Names_of_processes_are_equal()
    {
        var expected = Baseline.Of("net.4.5.2.x64.baseline.txt").Events.Where(e => e.Name == "Windows Kernel/Process/DCStart").ToList();
        using var files = EtlFiles.Open(SampleFiles.Require("net.4.5.2.x64.etl.zip"), Path.GetTempPath());
        using var merge = new EtlMerge(files.All);
        foreach (var process in expected)
        {
            while (merge.Next() && merge.Current.Hook != KernelHooks.ProcessExists)
            {
            }

            Assert.True(merge.Current.Payload.IndexOf(Encoding.ASCII.GetBytes(process.Fields["ImageFileName"] + '\0')) > 0);
        }
    }

    private static void Compare(BaselineEvent expected, EtlEvent e, string fields)
    {
        foreach (var field in fields.Split(' '))
        {
            var (name, where) = (field.Split('@')[0], field.Split('@')[1]);
            var at = e.Payload[int.Parse(where.Split('u', 'p')[0])..];
            var value = where switch
            {
                _ when where.EndsWith("u8", StringComparison.Ordinal) || (where[^1] == 'p' && e.PointerSize == 8) => BinaryPrimitives.ReadInt64LittleEndian(at),
                _ when where.EndsWith("u2", StringComparison.Ordinal) => BinaryPrimitives.ReadUInt16LittleEndian(at),
                _ => BinaryPrimitives.ReadInt32LittleEndian(at),
            };
            Assert.Equal((expected.Name, name, expected.Number(name)), (expected.Name, name, value));
        }
    }
}
