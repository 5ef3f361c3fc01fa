// Records only the scheduler stream of a capture, so that its cost can be compared with perf's.
// Usage: Poolscope.SchedulerOnly FOLDER [--plain]; --plain adds no events for silent tasks (SilentTaskEvents.Never).
// It writes "recording" once it records, and stops at the end of standard input.
using Poolscope.PerfEvents;

if (args is not [_] and not [_, "--plain"])
{
    Console.Error.WriteLine("usage: Poolscope.SchedulerOnly FOLDER [--plain]");
    return 2;
}

try
{
    using var recording = SchedulerRecording.Start(new SchedulerRecordingOptions(args[0]) { MaxBytes = 16L << 30, RingBytesPerCpu = 16 << 20, SilentTasks = args.Length == 1 ? SilentTaskEvents.WhereNeeded : SilentTaskEvents.Never });
    Console.WriteLine("recording");
    Console.In.ReadToEnd();
    var end = recording.Stop();
    Console.WriteLine($"{end.Events} events, {end.Bytes} bytes, {end.Lost} lost, {end.StalledNs} ns stalled, {end.CpuNs} ns of CPU time, silent CPUs: {recording.SilentCpus.Count}");
    return 0;
}
catch (SchedulerRefusedException refused)
{
    Console.Error.WriteLine($"{refused.Why}: {refused.How}");
    return 1;
}
