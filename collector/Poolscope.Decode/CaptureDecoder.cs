using System.Text.Json;
using Poolscope.Decode.Captures;
using Poolscope.Decode.Census;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Events;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Pool;
using Poolscope.Decode.Readings;
using Poolscope.Decode.Runtime;
using Poolscope.Decode.Stacks;
using Poolscope.Decode.Streams;
using Poolscope.Tables;

namespace Poolscope.Decode;

/// <summary>Turns the raw streams of a capture into its tables.</summary>
public static class CaptureDecoder
{
    private const string RuntimeFile = "runtime.nettrace";
    private const int LongestPath = 100;

    /// <summary>Writes CAPTURE/tables and completes CAPTURE/capture.json. A missing or cut stream yields the tables it
    /// can; tables `streams` and `losses` record the gap.</summary>
    /// <param name="captureFolder">A capture folder (not a .zip).</param>
    /// <param name="progress">Receives progress lines for the user.</param>
    /// <exception cref="DecodeException">The folder is not a capture or cannot be written, or a stream is
    /// unreadable.</exception>
    /// <exception cref="OperationCanceledException">The operation was cancelled; no file was written.</exception>
    public static DecodeResult Decode(
        string captureFolder, IProgress<string>? progress = null, CancellationToken cancellation = default)
    {
        using var folder = new TableFolder(captureFolder);
        var decoded = Read(captureFolder, progress, cancellation, folder.Add);
        cancellation.ThrowIfCancellationRequested();
        progress?.Report("writing tables");
        folder.Complete(decoded.Tables);
        var rows = decoded.Tables.ToDictionary(t => t.Schema.Name, t => (long)t.Count);
        SaveManifest(captureFolder, decoded.Capture.Completed() with { Pool = decoded.Runtime?.Pool, Tables = rows });
        return new DecodeResult(rows, decoded.Capture.Streams, new Lazy<ItemCounts>(() => ItemCounter.Count(decoded.Runtime)));
    }

    /// <summary>Builds the tables without writing them.</summary>
    /// <param name="early">Receives each large table as soon as it is complete, on any thread; the table need not keep
    /// its rows afterwards. If null, every table is returned at the end.</param>
    /// <inheritdoc cref="Decode"/>
    internal static DecodedCapture Read(
        string captureFolder, IProgress<string>? progress, CancellationToken cancellation, Action<Table>? early = null)
    {
        CaptureCheck.Links(captureFolder);
        var manifest = LoadManifest(captureFolder);
        var capture = new Capture(captureFolder, manifest);
        var (tables, runtime) = EtwStream.Find(capture, manifest) is { } trace
            ? ReadTrace(capture, trace, manifest, progress, cancellation)
            : ReadStreams(capture, manifest, early, progress, cancellation);
        capture.AddMissing();
        return new DecodedCapture(capture, [.. tables, capture.Tables.Streams, capture.Tables.Losses], runtime);
    }

    private static (IEnumerable<Table> Tables, RuntimeTables Runtime) ReadTrace(
        Capture capture, string trace, CaptureManifest manifest, IProgress<string>? progress, CancellationToken cancellation)
    {
        var etw = EtwStream.Read(capture, trace, manifest.Target, progress, cancellation);
        return (etw.Tables(manifest.Target.Pid), etw.Runtime);
    }

    private static (IEnumerable<Table> Tables, RuntimeTables? Runtime) ReadStreams(
        Capture capture, CaptureManifest manifest, Action<Table>? early, IProgress<string>? progress, CancellationToken cancellation)
    {
        var tables = new List<Table>();
        capture.Threads = ThreadIdStream.Read(capture, progress);

        progress = progress is null ? null : new SideBySide.Progress(progress);
        var (events, read) = SideBySide.Run(
            cancel => SchedulerStream.Read(capture, manifest.Target, ConnectionsStream.Read(capture, progress), early, progress, cancel),
            cancel => capture.Has(RuntimeFile) ? ReadRuntime(capture, manifest.Target, progress, cancel) : ((RuntimeTables Tables, NettraceSummary Summary, EventCounts? Counts)?)null,
            cancellation);
        IThreadStates? scheduler = events;
        scheduler ??= SchedstatStream.Read(capture, manifest.Target, progress, cancellation);
        var runtime = read?.Tables;
        if (read is { } found)
        {
            capture.Add(RuntimeFile, found.Summary, progress);
            tables.AddRange(new[] { found.Counts is { } counts ? CountedEvents.ToTable(counts) : null }.OfType<Table>());
        }

        using var lines = capture.RanHereAt is null ? null : new SourceLines();
        var start = runtime is null ? 0 : capture.StartOf(RuntimeFile);
        var threads = scheduler is null ? null : new ThreadExits(scheduler.Threads);
        var (stacks, _) = SideBySide.Run(
            cancel => StackStreams.Read(capture, events, runtime, lines, progress, cancel),
            _ =>
            {
                runtime?.Finish(manifest.Target, start, threads is null ? static (_, _) => -1 : threads.Of, scheduler?.Running, scheduler is null ? null : scheduler.LastTransfer);
                return true;
            },
            cancellation);

        if (scheduler is not null)
        {
            tables.AddRange(scheduler.Tables());
        }

        if (runtime is not null)
        {
            runtime.NameOwners(start, threads is null ? null : threads.LivedAt);
            stacks.Apply(runtime.Waits);
            tables.AddRange(runtime.Tables());
            if (scheduler is null)
            {
                tables.Add(runtime.Threads.ToTable(manifest.Target.Pid));
            }
        }

        tables.AddRange(stacks.Tables());
        tables.AddRange(new[]
        {
            ThrottleStream.Read(capture, progress),
            CapacityStream.Read(capture, manifest.Host.CpusOnline, progress),
            LostCpuStream.Read(capture, progress),
            CountersStream.Read(capture, progress) ?? CountersStream.OfTrace(runtime?.Readings() ?? []),
        }.OfType<Table>());
        return (tables, runtime);
    }

    private static (RuntimeTables Tables, NettraceSummary Summary, EventCounts? Counts) ReadRuntime(Capture capture, TargetInfo target, IProgress<string>? progress, CancellationToken cancellation)
    {
        var tables = new RuntimeTables(target.RuntimeMajor);
        var bounds = capture.BoundsOf(RuntimeFile);
        var decoder = new EventDecoder(tables);
        var counts = capture.IsMade ? new EventCounts() : null;
        var summary = NettraceReader.Read(capture.PathOf(RuntimeFile), bounds, decoder.Decode, decoder, counts, progress, cancellation);
        return (tables, summary, counts);
    }

    private static CaptureManifest LoadManifest(string folder)
    {
        try
        {
            var manifest = CaptureManifest.Load(folder);
            CaptureCheck.Manifest(manifest);
            return manifest;
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            throw new CaptureRefusedException($"{folder} is no capture: it has no {CaptureManifest.FileName}.", e);
        }
        catch (JsonException e)
        {
            throw new CaptureRefusedException($"{Path.Combine(folder, CaptureManifest.FileName)} is damaged: {What(e)}", e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DecodeException($"{folder} cannot be read: {e.Message}", e);
        }
    }

    /// <summary>Returns the position of the error if the parser reports it. The parser's own message names types, and a
    /// damaged file can put any text into it.</summary>
    private static string What(JsonException e) =>
        e.Path is { Length: < LongestPath } path && e.LineNumber is { } line ? $"{path.ReplaceLineEndings(" ")} in line {line + 1} is not what it should be" : e.Message.ReplaceLineEndings(" ");

    private static void SaveManifest(string folder, CaptureManifest manifest)
    {
        try
        {
            manifest.Save(folder);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new OutputRefusedException($"{CaptureManifest.FileName} cannot be written: {e.Message}", e);
        }
    }
}

/// <summary>The contents of a capture's streams, not yet written.</summary>
internal sealed record DecodedCapture(Capture Capture, IReadOnlyList<Table> Tables, RuntimeTables? Runtime);
