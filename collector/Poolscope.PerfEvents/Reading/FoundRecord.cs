using System.Runtime.InteropServices;

namespace Poolscope.PerfEvents.Reading;

/// <summary>A record on its way from the finder to the decoder. The finder decodes switches and wake-ups itself: they
/// are nearly all records, and their bytes are at hand then.</summary>
/// <param name="Time">Time of the record, CLOCK_MONOTONIC ns.</param>
/// <param name="Offset">Offset of the record in the file.</param>
/// <param name="Kind">The kind of a switch or a wake-up; <see cref="EventKind.Other"/>: the record is not decoded
/// yet.</param>
/// <param name="Thread">The thread that leaves, or that is woken.</param>
/// <param name="Other">The thread that comes, or that wakes; -1: an interrupt wakes.</param>
/// <param name="Detail">State of the leaving thread, or the CPU on which the woken one is queued.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct FoundRecord(long Time, long Offset, EventKind Kind, short Cpu, int Thread, int Other, int Detail);
