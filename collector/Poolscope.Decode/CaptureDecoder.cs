using System.Text.Json;
using Poolscope.Decode.Events;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Pool;
using Poolscope.Decode.Stacks;
using Poolscope.Decode.Streams;
using Poolscope.Decode.WorkItems;
using Poolscope.Tables;

namespace Poolscope.Decode;

/// <summary>Turns the raw streams of a capture into its tables.</summary>
public static class CaptureDecoder
{
    private const string RuntimeFile = "runtime.nettrace";

    /// <summary>Writes CAPTURE/tables and completes CAPTURE/capture.json. A stream that is missing or cut gives the tables
    /// that it can give; `streams` and `losses` say so.</summary>
    /// <param name="captureFolder">A capture folder (not a .zip).</param>
    /// <param name="progress">Gets lines for people.</param>
    /// <exception cref="DecodeException">No capture, an unreadable stream, or a folder that cannot be written.</exception>
    /// <exception cref="OperationCanceledException">Nothing was written.</exception>
    public static DecodeResult Decode(
        string captureFolder, IProgress<string>? progress = null, CancellationToken cancellation = default)
    {
        var manifest = LoadManifest(captureFolder);
        var capture = new Capture(captureFolder, manifest);
        if (EtwStream.Find(capture, manifest) is { } trace)
        {
            var etw = EtwStream.Read(capture, trace, manifest.Target, progress, cancellation);
            return Write(capture, [.. etw.Tables(manifest.Target.Pid)], etw.Runtime, progress, cancellation);
        }

        var tables = new List<Table>();

        var events = SchedulerStream.Read(capture, manifest.Target, progress, cancellation);
        IThreadStates? scheduler = events;
        scheduler ??= SchedstatStream.Read(capture, manifest.Target, progress, cancellation);
        var runtime = capture.Has(RuntimeFile) ? ReadRuntime(capture, progress, cancellation) : null;
        using var lines = new SourceLines();
        var stacks = StackStreams.Read(capture, events, lines, progress, cancellation);

        if (scheduler is not null)
        {
            tables.AddRange(scheduler.Tables());
        }

        if (runtime is not null)
        {
            Finish(runtime, scheduler, manifest.Target, capture.StartOf(RuntimeFile));
            stacks.Apply(runtime.Waits);
            tables.AddRange(runtime.Tables());
            if (scheduler is null)
            {
                tables.Add(runtime.Threads.ToTable(manifest.Target.Pid));
            }
        }

        tables.AddRange(stacks.Tables());
        tables.AddRange(new[] { ThrottleStream.Read(capture), CapacityStream.Read(capture), CountersStream.Read(capture) }.OfType<Table>());

        return Write(capture, tables, runtime, progress, cancellation);
    }

    private static DecodeResult Write(
        Capture capture, List<Table> tables, RuntimeTables? runtime, IProgress<string>? progress, CancellationToken cancellation)
    {
        capture.AddMissing();
        tables.Add(capture.Tables.Streams);
        tables.Add(capture.Tables.Losses);

        cancellation.ThrowIfCancellationRequested();
        progress?.Report("writing tables");
        TableFolder.Write(capture.Folder, tables);
        SaveManifest(capture.Folder, capture.Completed() with { Pool = runtime?.Pool });
        return new DecodeResult(
            tables.ToDictionary(t => t.Schema.Name, t => (long)t.Count), capture.Streams, ItemCounter.Count(runtime));
    }

    private static void Finish(RuntimeTables runtime, IThreadStates? scheduler, TargetInfo target, long start)
    {
        if (scheduler is null)
        {
            runtime.Finish(target, start, exit: static (_, _) => -1, running: null);
        }
        else
        {
            runtime.Finish(target, start, new ThreadExits(scheduler.Threads).Of, scheduler.Running);
        }
    }

    private static RuntimeTables ReadRuntime(Capture capture, IProgress<string>? progress, CancellationToken cancellation)
    {
        var path = capture.PathOf(RuntimeFile);
        var tables = new RuntimeTables();
        var summary = NettraceReader.Read(path, new EventDecoder(tables).Decode, progress, cancellation);
        if (summary.Disordered > 0)
        {
            progress?.Report($"{RuntimeFile}: {summary.Disordered} events out of order, sorting");
            var sorter = new EventSorter();
            NettraceReader.Read(path, sorter.Add, progress, cancellation);
            tables = new RuntimeTables();
            sorter.Replay(new EventDecoder(tables).Decode);
        }

        capture.Add(RuntimeFile, summary);
        return tables;
    }

    private static CaptureManifest LoadManifest(string folder)
    {
        try
        {
            return CaptureManifest.Load(folder);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            throw new DecodeException($"{folder} is no capture: it has no {CaptureManifest.FileName}.", e);
        }
        catch (JsonException e)
        {
            throw new DecodeException($"{Path.Combine(folder, CaptureManifest.FileName)} is damaged: {e.Message}", e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DecodeException($"{folder} cannot be read: {e.Message}", e);
        }
    }

    private static void SaveManifest(string folder, CaptureManifest manifest)
    {
        try
        {
            manifest.Save(folder);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DecodeException($"{CaptureManifest.FileName} cannot be written: {e.Message}", e);
        }
    }
}
