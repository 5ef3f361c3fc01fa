using Poolscope.Etl.Format;
using Poolscope.Etl.Reading;
using Poolscope.Etw.Format;

namespace Poolscope.Etw.Reading;

/// <summary>The first pass over a trace. Finds its processes, its first and last event, and the machine.</summary>
internal sealed class EtlSurvey
{
    private const int EnqueueWork = 30;
    private const int DequeueWork = 31;
    private const string FrameworkRuntime = "clr.dll";
    private const string Runtime = "coreclr.dll";

    private static readonly Guid Framework = Guid.Parse("8e9f5090-2d75-4d03-8a81-e5afbf85daf1");
    private static readonly Guid Clr = Guid.Parse("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
    private static readonly Guid Rundown = Guid.Parse("a669021c-c450-4609-a035-5af59af4df18");

    private readonly Dictionary<int, ProcessLife> _processes = [];
    private readonly Dictionary<int, long> _workItemsFrom = [];

    /// <summary>The machine; null if not reported.</summary>
    public MachinePayload? Machine { get; private set; }

    public long FirstNs { get; private set; } = -1;

    public long LastNs { get; private set; }

    /// <summary>Every process that was reported or wrote an event.</summary>
    public IReadOnlyList<TraceProcessInfo> Processes { get; private set; } = [];

    /// <summary>Names of the processes that have one.</summary>
    public IReadOnlyDictionary<int, string> Names { get; private set; } = new Dictionary<int, string>();

    /// <summary>The time at which the first process showed that its work items are recorded, ns; the trace's first
    /// event if none did.</summary>
    public long FirstWorkItemsNs => _workItemsFrom.Count > 0 ? _workItemsFrom.Values.Min() : FirstNs;

    /// <summary>Returns the time of a process's first FrameworkEventSource event, ns; -1 if it has none.</summary>
    public long WorkItemsFrom(int pid) => _workItemsFrom.GetValueOrDefault(pid, -1);

    public static EtlSurvey Read(EtlMerge merge)
    {
        var survey = new EtlSurvey();
        while (merge.Next())
        {
            survey.Take(merge.Current);
        }

        var processes = survey._processes.Values.Where(p => p.Pid > 0).Select(p => (Life: p, Info: p.Describe(survey.LastNs))).ToList();
        survey.Processes = [.. processes.Select(p => p.Info)];
        survey.Names = processes.Where(p => p.Life.HasName).ToDictionary(p => p.Info.Pid, p => p.Info.Name);
        return survey;
    }

    private void Take(EtlEvent e)
    {
        LastNs = e.Time;
        FirstNs = FirstNs < 0 ? e.Time : FirstNs;
        if (e.Kind == HeaderKind.Manifest)
        {
            Manifest(e);
            return;
        }

        switch (e.Hook)
        {
            case KernelHooks.ProcessStart or KernelHooks.ProcessExists or KernelHooks.ProcessExistsAtEnd or KernelHooks.ProcessEnd:
                Process(e);
                break;
            case KernelHooks.ImageLoad or KernelHooks.ImageExists or KernelHooks.ImageExistsAtEnd:
                Image(e);
                break;
            case KernelHooks.Machine:
                Machine ??= MachinePayload.Read(e.Payload);
                break;
        }
    }

    private void Manifest(EtlEvent e)
    {
        var provider = e.Provider;
        if (provider == Framework)
        {
            _workItemsFrom.TryAdd(e.Pid, e.Time); // an event source writes its manifest when it is enabled
            if (e.Id is EnqueueWork or DequeueWork)
            {
                Of(e.Pid).PoolEvents++;
            }
        }
        else if (e.Id == RuntimePayload.Id && (provider == Clr || provider == Rundown) && RuntimePayload.Read(e.Payload) is { } runtime)
        {
            var process = Of(e.Pid);
            process.CommandLine ??= runtime.CommandLine;
            process.HasFramework |= runtime.IsFramework;
            process.HasRuntime |= !runtime.IsFramework;
        }
    }

    private void Process(EtlEvent e)
    {
        if (ProcessPayload.Read(e.Payload, e.Version, e.PointerSize) is not { } told)
        {
            return;
        }

        var process = Of(told.Pid);
        if (e.Hook == KernelHooks.ProcessStart)
        {
            process.Begins(e.Time);
        }

        process.Named(told.Image, told.CommandLine);
        if (e.Hook == KernelHooks.ProcessEnd)
        {
            process.Ends(e.Time);
        }
    }

    private void Image(EtlEvent e)
    {
        if (ImagePayload.Read(e.Payload, e.Version, e.PointerSize) is { Path: { } path } image)
        {
            var name = ImagePayload.FileName(path);
            if (name.Equals(FrameworkRuntime, StringComparison.OrdinalIgnoreCase))
            {
                Of(image.Pid).HasFramework = true;
            }
            else if (name.Equals(Runtime, StringComparison.OrdinalIgnoreCase))
            {
                Of(image.Pid).HasRuntime = true;
            }
        }
    }

    private ProcessLife Of(int pid)
    {
        if (!_processes.TryGetValue(pid, out var process))
        {
            _processes.Add(pid, process = new ProcessLife(pid, FirstNs));
        }

        return process;
    }
}
