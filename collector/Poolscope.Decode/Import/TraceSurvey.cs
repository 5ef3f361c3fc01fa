using System.Text;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Nettrace.Blocks;
using Poolscope.Decode.Nettrace.Files;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.Etw.Capture;

namespace Poolscope.Decode.Import;

/// <summary>The processes and the kernel's events in a .nettrace file of version 6, found in one pass.</summary>
internal sealed class TraceSurvey
{
    private const int MostListed = 10;
    private const int WorkerStart = 50;
    private const int LastOfPool = 59;

    private readonly Dictionary<int, TraceProcess> _processes = [];
    private readonly EventKinds _kinds = new();
    private bool _isWhole;

    /// <summary>Whether one-collect wrote the file (`dotnet-trace collect-linux`, record-trace), whose clock is
    /// CLOCK_MONOTONIC_RAW. It writes events that a runtime does not have.</summary>
    public bool IsOfOneCollect { get; private set; }

    /// <summary>The kernel's events about the threads of all processes.</summary>
    public KernelEvents Kernel { get; } = new();

    public IEnumerable<TraceProcess> Processes => _processes.Values;

    /// <param name="path">A file of version 6.</param>
    /// <exception cref="DecodeException">The file cannot be opened.</exception>
    public static TraceSurvey Read(string path, StreamBounds bounds, CancellationToken cancellation)
    {
        var survey = new TraceSurvey();
        survey._isWhole = NettraceFile.Read(path, bounds, survey._kinds, survey.OnBlock, cancellation).Whole;
        return survey;
    }

    /// <summary>Chooses a process: the only one that has events of .NET's pool, or the requested one.</summary>
    /// <param name="path">The path of the file, for error messages.</param>
    /// <param name="pid">The requested process; null for any.</param>
    /// <param name="name">The requested name, in any case; null for any.</param>
    /// <exception cref="ProcessNotChosenException">Several processes match.</exception>
    /// <exception cref="CaptureRefusedException">No such process has events of .NET.</exception>
    public TraceProcess Choose(string path, int? pid, string? name)
    {
        var all = _processes.Values.Where(process => process.RuntimeEvents > 0).OrderByDescending(process => process.PoolEvents).ThenBy(process => process.Id).ToList();
        if (all.Count == 0 && !_isWhole)
        {
            throw new CaptureRefusedException(
                $"{path} ends in the middle, and what is left of it holds no events of .NET, of any process; copy it again, or record again");
        }

        if (all.Count == 0)
        {
            throw new CaptureRefusedException(
                $"{path} holds no events of .NET, of any process; record with the --providers that this command prints: poolscope recipe dotnet-trace; collect-linux needs a kernel with user_events (6.4 or newer) and a process of .NET 10 or newer for them");
        }

        var wanted = all.Where(process => (pid is null || process.Id == pid) && (name is null || string.Equals(process.Name, name, StringComparison.OrdinalIgnoreCase))).ToList();
        if (wanted.Count == 0)
        {
            throw new CaptureRefusedException($"{path} has no events of .NET of process {pid?.ToString(System.Globalization.CultureInfo.InvariantCulture) ?? name}; it has: {Listed(all)}");
        }

        var candidates = wanted.Where(process => process.PoolEvents > 0).ToList();
        candidates = candidates.Count > 0 ? candidates : wanted;
        return candidates.Count == 1
            ? candidates[0]
            : throw new ProcessNotChosenException($"{path} holds several processes of .NET; say which, as with poolscope decode --process-id {candidates[0].Id}: {Listed(candidates)}");
    }

    private static string Listed(List<TraceProcess> processes) =>
        string.Join(", ", processes.Take(MostListed)) + (processes.Count > MostListed ? $" and {processes.Count - MostListed} more" : "");

    private void OnBlock(NettraceBlock block)
    {
        if (block.Kind != BlockKind.Events || block.Threads is not { } threads)
        {
            return;
        }

        for (var cursor = block.Cursor; cursor.Next();)
        {
            var kind = _kinds.Find(cursor.MetadataId)!;
            var (pid, tid) = threads.Of(threads.Find((ulong)cursor.ThreadId).Thread);
            switch (kind.Provider)
            {
                case KnownEvents.System:
                    IsOfOneCollect = true;
                    AddName(kind, pid, cursor.Payload);
                    break;
                case KernelEvents.SamplesProvider or KernelEvents.Provider:
                    Kernel.Count(kind, pid, tid, cursor.CaptureThreadId, block.Clock.Nanoseconds(cursor.Ticks), cursor.Payload);
                    break;
                case RuntimeEvents.Framework or RuntimeEvents.Clr or RuntimeEvents.Tpl or TraceContents.RundownProvider or TraceContents.ProcessProvider:
                    var process = Of(pid);
                    process.RuntimeEvents++;
                    process.PoolEvents += kind.Item != ItemEvent.None || (kind.Provider == RuntimeEvents.Clr && kind.EventId is >= WorkerStart and <= LastOfPool) ? 1 : 0;
                    break;
            }
        }
    }

    /// <summary>Reads the name of a process: the id inside its namespace, then UTF-8 after its length (u16).</summary>
    private void AddName(EventKind kind, int pid, ReadOnlySpan<byte> payload)
    {
        if (kind.Name is not ("ExistingProcess" or "ProcessCreate"))
        {
            return;
        }

        try
        {
            var bytes = new BlockBytes(payload);
            bytes.Variable();
            Of(pid).Name = DecodeException.Plain(Encoding.UTF8.GetString(bytes.Take(bytes.UInt16())));
        }
        catch (NettraceDamage)
        {
            // The process then has no name.
        }
    }

    private TraceProcess Of(int pid)
    {
        if (!_processes.TryGetValue(pid, out var process))
        {
            _processes.Add(pid, process = new TraceProcess(pid));
        }

        return process;
    }
}
