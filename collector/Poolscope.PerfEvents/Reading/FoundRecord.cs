using System.Runtime.InteropServices;

namespace Poolscope.PerfEvents.Reading;

/// <summary>A record on its way from where it was found to where it is decoded. Switches and wake-ups, which are nearly all, are
/// decoded when they are found: their bytes are at hand then.</summary>
/// <param name="Time">CLOCK_MONOTONIC ns.</param>
/// <param name="Offset">Where it starts in the file.</param>
/// <param name="Kind">Of a switch or a wake-up; <see cref="EventKind.Other"/>: the rest is not known yet.</param>
/// <param name="Thread">Who leaves, or is woken.</param>
/// <param name="Other">Who comes, or wakes; -1: an interrupt does.</param>
/// <param name="Detail">The leaving thread's state, or the CPU that the woken one is queued on.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct FoundRecord(long Time, long Offset, EventKind Kind, short Cpu, int Thread, int Other, int Detail);
