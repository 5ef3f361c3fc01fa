using System.Runtime.InteropServices;

namespace Poolscope.PerfEvents.Format;

/// <summary>struct perf_event_attr, version 7 (128 bytes): the argument of perf_event_open, and its copy in a perf.data
/// file. Offsets: linux/perf_event.h.</summary>
[StructLayout(LayoutKind.Explicit, Size = Bytes)]
internal struct PerfEventAttr
{
    internal const int Bytes = 128;

    [FieldOffset(0)] internal PerfEventType Type;
    [FieldOffset(4)] internal uint Size;
    [FieldOffset(8)] internal ulong Config;

    /// <summary>Events per record, or records per second with <see cref="AttrFlags.Frequency"/>.</summary>
    [FieldOffset(16)] internal ulong SamplePeriod;

    [FieldOffset(24)] internal SampleFields SampleType;
    [FieldOffset(32)] internal ReadFields ReadFormat;
    [FieldOffset(40)] internal AttrFlags Flags;
    [FieldOffset(92)] internal int ClockId;

    internal readonly byte[] ToArray() =>
        MemoryMarshal.AsBytes(new ReadOnlySpan<PerfEventAttr>(in this)).ToArray();

    /// <summary>Reads an attribute from a file. It may be older and shorter, or newer and longer.</summary>
    internal static PerfEventAttr Read(ReadOnlySpan<byte> bytes)
    {
        var attr = default(PerfEventAttr);
        var target = MemoryMarshal.AsBytes(new Span<PerfEventAttr>(ref attr));
        bytes[..Math.Min(bytes.Length, Bytes)].CopyTo(target);
        return attr;
    }
}

/// <summary>enum perf_type_id.</summary>
internal enum PerfEventType : uint
{
    Hardware = 0,
    Software = 1,
    Tracepoint = 2,
}

/// <summary>enum perf_sw_ids: values of <see cref="PerfEventAttr.Config"/> for software events.</summary>
internal static class SoftwareEvent
{
    internal const ulong CpuClock = 0;
    internal const ulong Dummy = 9;
}

/// <summary>enum perf_event_read_format: the fields that read() on an event returns after its value.</summary>
[Flags]
internal enum ReadFields : ulong
{
    None = 0,
    Id = 4,
    Lost = 16,
}

/// <summary>The bit field of perf_event_attr.</summary>
[Flags]
internal enum AttrFlags : ulong
{
    None = 0,
    Disabled = 1UL << 0,

    /// <summary>Threads that the thread creates later inherit the event. Only with one event per CPU, or the ring
    /// cannot be mapped.</summary>
    Inherit = 1UL << 1,

    /// <summary>Required for users without privilege. Switch records are written all the same.</summary>
    ExcludeKernel = 1UL << 5,
    ExcludeHypervisor = 1UL << 6,
    ExcludeIdle = 1UL << 7,
    Mmap = 1UL << 8,
    Comm = 1UL << 9,
    Frequency = 1UL << 10,
    Task = 1UL << 13,
    SampleIdAll = 1UL << 18,
    ExcludeCallChainKernel = 1UL << 21,
    Mmap2 = 1UL << 23,
    CommExec = 1UL << 24,
    UseClockId = 1UL << 25,
    ContextSwitch = 1UL << 26,

    /// <summary>Only threads of the same process inherit the event.</summary>
    InheritThread = 1UL << 35,
}
