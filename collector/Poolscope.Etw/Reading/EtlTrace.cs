using System.Globalization;
using Poolscope.Etl.Files;
using Poolscope.Etl.Format;
using Poolscope.Etl.Reading;
using Poolscope.KernelEvents;

namespace Poolscope.Etw.Reading;

/// <summary>A raw trace that Windows wrote, or that PerfView merged and zipped. Any system can read it.</summary>
public sealed class EtlTrace : ITrace
{
    private const int CancellationStep = 1 << 16;

    private readonly EtlFiles _files;
    private readonly EtlSurvey _survey;
    private readonly long _completeFrom;
    private readonly long _completeTo;

    private EtlTrace(string path, EtlFiles files)
    {
        (Path, _files) = (path, files);
        using var merge = new EtlMerge(files.All);
        _survey = EtlSurvey.Read(merge);
        _completeFrom = files.All.Any(file => file.Header.IsCircular) && merge.FirstEndNs < long.MaxValue ? merge.FirstEndNs : FirstNs;
        _completeTo = Math.Min(_survey.LastNs, merge.CutNs(_survey.FirstWorkItemsNs));
    }

    public string Path { get; }

    public IReadOnlyList<TraceProcessInfo> Processes => _survey.Processes;

    public long FirstNs => Math.Max(0, _survey.FirstNs);

    /// <inheritdoc/>
    /// <remarks>If the file was cut, the last event of the processor that ended first.</remarks>
    public long LastNs => _completeTo;

    public int Processors => Math.Max(1, Header.Processors);

    public int PointerSize => Header.PointerSize;

    public string MachineName => _survey.Machine?.Name ?? "";

    public string OsName => $"Windows {Header.OsMajor}.{Header.OsMinor}";

    public string OsBuild => Header.OsBuild.ToString(CultureInfo.InvariantCulture);

    public long MemoryBytes => _survey.Machine?.MemoryBytes ?? 0;

    public DateTime StartUtc => Header.StartTime is > 0 and var time && time < DateTime.MaxValue.ToFileTimeUtc() ? DateTime.FromFileTimeUtc(time) : DateTime.UnixEpoch;

    public bool HasAddresses => true;

    private FileHeader Header => _files.All[0].Header;

    /// <param name="path">Path of an .etl, with the parts that lie beside it, or of a .zip that holds one.</param>
    /// <param name="scratch">Folder for the contents of a zip, until this is disposed of.</param>
    /// <exception cref="InvalidDataException">The file is not a trace or is damaged; the message is one line for a
    /// person.</exception>
    public static EtlTrace Open(string path, string scratch)
    {
        var files = EtlFiles.Open(path, scratch);
        try
        {
            return new EtlTrace(path, files);
        }
        catch
        {
            files.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    /// <remarks>A circular file may have overwritten events from before the end of its oldest buffer.</remarks>
    public long WorkItemsFromNs(int pid) => Math.Max(_survey.WorkItemsFrom(pid) is >= 0 and var from ? from : FirstNs, _completeFrom);

    public TraceSummary Read(
        int pid,
        ISchedulerEvents scheduler,
        IRuntimeEventStream runtime,
        Func<Guid, int, bool> stackOf,
        CancellationToken cancellation)
    {
        ArgumentNullException.ThrowIfNull(scheduler);
        foreach (var (process, name) in _survey.Names)
        {
            // Threads and processes share one space of ids, so no thread has this id. Its name is the process's.
            scheduler.ThreadName(0, process, process, name);
        }

        using var merge = new EtlMerge(_files.All);
        var kernel = new KernelTranslator(scheduler, _survey.Names.GetValueOrDefault);
        var pass = new EtlPass(_files.All[0].Clock, pid, kernel, scheduler, runtime, stackOf);
        while (merge.Next() && merge.Current.Time <= _completeTo)
        {
            if (pass.Events % CancellationStep == 0)
            {
                cancellation.ThrowIfCancellationRequested();
            }

            pass.Take(merge.Current);
        }

        pass.Finish();
        var losses = Losses(merge);
        foreach (var (after, before, cpu, count) in losses)
        {
            scheduler.Lost(after, before, cpu, count);
        }

        return new TraceSummary(pass.Events, losses.Sum(loss => loss.Count), kernel.Switches, _files.All.Any(file => file.IsCut) || merge.Damage is not null)
        {
            Damage = _files.All.Select(file => file.Damage).FirstOrDefault(damage => damage is not null) ?? merge.Damage,
            Losses = [.. losses.Select(loss => new TraceLoss(loss.AfterNs, loss.BeforeNs, loss.Count))],
        };
    }

    public void Dispose() => _files.Dispose();

    /// <summary>Returns the losses. The header's counts are of any time and any processor, so every state is uncertain.
    /// A session that never closed its file has no counts; the marks of buffers are then the only record.</summary>
    private List<EtlLoss> Losses(EtlMerge merge)
    {
        // A lost buffer held at least one event.
        var told = _files.All.Sum(file => (long)file.Header.EventsLost + file.Header.BuffersLost);
        return told > 0 ? [new EtlLoss(-1, -1, -1, told)] : [.. merge.Losses()];
    }
}
