// The scheduler stream of a capture and nothing else, so that its cost can be held against perf's alone.
// Usage: Poolscope.SchedulerOnly FOLDER [--plain]; --plain: also where tasks are silent record no more than elsewhere. Writes "recording" when it does, and stops at the end of standard input.
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
