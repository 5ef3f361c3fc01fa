using System.Buffers.Binary;
using System.IO.MemoryMappedFiles;
using System.Numerics;
using System.Runtime.InteropServices;
using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents.Reading;

/// <summary>A perf.data file in memory. The position of its records and the recorded events come from its own header
/// or, if the file was never completed, from sched.meta.json.</summary>
internal sealed unsafe class PerfDataFile : IDisposable
{
    // Far beyond any real recording (events x CPUs). A damaged file must not cause allocations of the sizes that it
    // names.
    private const long MostAttrBytes = 1 << 20;
    private const long MostIdBytes = 16 << 20;
    private const long MostFormatBytes = 64 << 20;

    private readonly MemoryMappedFile _file;
    private readonly MemoryMappedViewAccessor _view;
    private readonly byte* _bytes;

    /// <summary>Opens the recording of a capture.</summary>
    /// <param name="byAnyTool">True if `perf record` wrote it: there is no sched.meta.json.</param>
    /// <exception cref="FileNotFoundException">The folder has no recording.</exception>
    /// <exception cref="InvalidDataException">Not a readable perf.data file, with or without
    /// sched.meta.json.</exception>
    internal PerfDataFile(string folder, bool byAnyTool = false)
        : this(Path.Combine(folder, SchedulerFiles.Data), folder, byAnyTool)
    {
    }

    private PerfDataFile(string path, string folder, bool byAnyTool)
    {
        IsByAnyTool = byAnyTool;
        Length = new FileInfo(path).Length;
        if (Length == 0)
        {
            throw new InvalidDataException($"{Path.GetFileName(path)} is empty.");
        }

        _file = MemoryMappedFile.CreateFromFile(path, FileMode.Open, null, 0, MemoryMappedFileAccess.Read);
        _view = _file.CreateViewAccessor(0, Length, MemoryMappedFileAccess.Read);
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref _bytes);
        try
        {
            if (PerfFileHeader.TryRead(At(0, (int)Math.Min(Length, PerfFileHeader.Bytes)), out var header)
                && header.Data.Size > 0 && IsInside(header.Data))
            {
                (Header, Data) = (header, header.Data);
                Recorded = byAnyTool ? ReadEvents(header) : [];
                if (byAnyTool)
                {
                    _ = PerfRecording.Switches(Recorded);
                }

                Events = byAnyTool ? new EventTable(Recorded, byAnyTool) : EventsOf(header, folder);
                OnlyPid = byAnyTool ? null : OnlyPidOf(folder);
            }
            else if (byAnyTool)
            {
                throw new InvalidDataException("is incomplete: `perf record` did not come to its end, or the file was cut");
            }
            else
            {
                var meta = SchedulerMeta.Load(Path.Combine(folder, SchedulerFiles.Meta));
                IsCut = true;
                Data = new FileSection(meta.DataOffset, Math.Max(0, RecordsEnd(header) - meta.DataOffset));
                Events = new EventTable(meta.ToRecordedEvents());
                OnlyPid = meta.OnlyPid;
            }
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>The size of the file, bytes.</summary>
    internal long Length { get; }

    /// <summary>The records. In a truncated file, the last one may be incomplete.</summary>
    internal FileSection Data { get; }

    internal EventTable Events { get; }

    /// <summary>True if the file was never completed, or was truncated later.</summary>
    internal bool IsCut { get; }

    /// <summary>The one process whose records were kept; null: all processes.</summary>
    internal int? OnlyPid { get; }

    /// <summary>True if `perf record` wrote the file, not Poolscope.</summary>
    internal bool IsByAnyTool { get; }

    /// <summary>The header of a complete file.</summary>
    internal PerfFileHeader Header { get; }

    /// <summary>The events of a file of `perf record`; otherwise empty.</summary>
    internal IReadOnlyList<RecordedEvent> Recorded { get; } = [];

    /// <summary>Opens a file of `perf record` in any folder.</summary>
    /// <exception cref="InvalidDataException">The file cannot be read. The message continues after the file's name, or
    /// is a sentence.</exception>
    internal static PerfDataFile OfPerf(string path) => new(path, Path.GetDirectoryName(path) ?? "", byAnyTool: true);

    /// <summary>Returns a feature, which describes the machine or the recording; empty if the file does not have
    /// it.</summary>
    /// <exception cref="InvalidDataException">The feature table is damaged.</exception>
    internal ReadOnlySpan<byte> Feature(HeaderFeature feature)
    {
        var bit = 1UL << (int)feature;
        if ((Header.Features & bit) == 0)
        {
            return default;
        }

        var blob = FeatureSection(Header, bit);
        return IsInside(blob) && blob.Size <= MostFormatBytes
            ? At(blob.Offset, (int)blob.Size)
            : throw new InvalidDataException("The features of the perf.data file lie outside of it.");
    }

    /// <summary>Returns a range of bytes. The caller makes sure that the range is inside the file.</summary>
    internal ReadOnlySpan<byte> At(long offset, int length) => new(_bytes + offset, length);

    public void Dispose()
    {
        _view.SafeMemoryMappedViewHandle.ReleasePointer();
        _view.Dispose();
        _file.Dispose();
    }

    /// <summary>Reads the recorded events from the header, or from sched.meta.json if the header is damaged, so that
    /// the records remain readable.</summary>
    private EventTable EventsOf(in PerfFileHeader header, string folder)
    {
        try
        {
            return new EventTable(ReadEvents(header));
        }
        catch (InvalidDataException) when (File.Exists(Path.Combine(folder, SchedulerFiles.Meta)))
        {
            return new EventTable(SchedulerMeta.Load(Path.Combine(folder, SchedulerFiles.Meta)).ToRecordedEvents());
        }
    }

    /// <summary>Reads the process from sched.meta.json. A complete file can be read without it, so returns null if it
    /// is missing or damaged.</summary>
    private static int? OnlyPidOf(string folder)
    {
        try
        {
            return SchedulerMeta.Load(Path.Combine(folder, SchedulerFiles.Meta)).OnlyPid;
        }
        catch (InvalidDataException)
        {
            return null;
        }
    }

    // A file that was completed and truncated later may still have a piece of its feature table after the records.
    private long RecordsEnd(in PerfFileHeader header) =>
        header.Data is { Size: > 0, Offset: >= PerfFileHeader.Bytes } && header.Data.Size < Length - header.Data.Offset
            ? header.Data.End
            : Length;

    private List<RecordedEvent> ReadEvents(in PerfFileHeader header)
    {
        var formats = ReadFormats(header).ToDictionary(f => f.Id, f => f.Text);
        const int idsSection = 16;
        if (header.AttrSize is < 64 + idsSection or > 4096 || !IsInside(header.Attrs) || header.Attrs.Size > MostAttrBytes)
        {
            throw new InvalidDataException("The attribute section of the perf.data file is damaged.");
        }

        var idBytes = 0L;
        var events = new List<RecordedEvent>();
        for (var at = header.Attrs.Offset; at + header.AttrSize <= header.Attrs.End; at += header.AttrSize)
        {
            var entry = At(at, (int)header.AttrSize);
            var attr = PerfEventAttr.Read(entry[..^idsSection]);
            var ids = Section(entry[^idsSection..]);
            idBytes += ids.Size;
            if (!IsInside(ids) || idBytes > MostIdBytes)
            {
                throw new InvalidDataException("The id section of the perf.data file is damaged.");
            }

            formats.TryGetValue(attr.Config, out var format);
            events.Add(new RecordedEvent(
                $"{attr.Type}/{attr.Config}",
                attr,
                MemoryMarshal.Cast<byte, ulong>(At(ids.Offset, (int)ids.Size)).ToArray(),
                attr.Type == PerfEventType.Tracepoint ? format : null));
        }

        return events;
    }

    private IEnumerable<(ulong Id, string Text)> ReadFormats(in PerfFileHeader header)
    {
        const ulong bit = 1UL << (int)HeaderFeature.TracingData;
        if ((header.Features & bit) == 0)
        {
            return [];
        }

        var blob = FeatureSection(header, bit);
        if (!IsInside(blob) || blob.Size > MostFormatBytes)
        {
            throw new InvalidDataException("The tracepoint descriptions of the perf.data file lie outside of it.");
        }

        return TracingData.ReadFormats(At(blob.Offset, (int)blob.Size))
            .Select(text => (TracepointFormat.Parse(text).Id, text))
            .DistinctBy(f => f.Id);
    }

    /// <summary>Finds a feature. The feature table follows the records, with one entry per bit that is set.</summary>
    private FileSection FeatureSection(in PerfFileHeader header, ulong bit)
    {
        const int entryBytes = 16;
        var entry = new FileSection(header.Data.End + (entryBytes * BitOperations.PopCount(header.Features & (bit - 1))), entryBytes);
        return IsInside(entry)
            ? Section(At(entry.Offset, entryBytes))
            : throw new InvalidDataException("The feature table of the perf.data file is damaged.");
    }

    private static FileSection Section(ReadOnlySpan<byte> entry) =>
        new(BinaryPrimitives.ReadInt64LittleEndian(entry), BinaryPrimitives.ReadInt64LittleEndian(entry[8..]));

    private bool IsInside(FileSection section) =>
        section.Offset >= 0 && section.Size >= 0 && section.Offset <= Length && section.Size <= Length - section.Offset;
}
