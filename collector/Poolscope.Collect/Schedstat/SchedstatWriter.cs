using Poolscope.Decode.Schedstat;

namespace Poolscope.Collect.Schedstat;

/// <summary>Appends to schedstat.bin without allocating. Throws IOException for errors of the disk.</summary>
internal sealed class SchedstatWriter : IDisposable
{
    private const int BufferBytes = 1 << 16;

    private readonly FileStream _file;

    public SchedstatWriter(string folder, TimeSpan step, long startNs, int pid)
    {
        _file = new FileStream(System.IO.Path.Combine(folder, SchedstatFormat.FileName), FileMode.CreateNew, FileAccess.Write, FileShare.Read, BufferBytes);
        Span<byte> header = stackalloc byte[SchedstatFormat.HeaderBytes];
        SchedstatFormat.WriteHeader(header, step.Ticks * TimeSpan.NanosecondsPerTick, startNs, pid);
        _file.Write(header);
        Bytes = header.Length;
    }

    public string Path => _file.Name;

    public long Bytes { get; private set; }

    public long Records { get; private set; }

    public void Write(in SchedstatRecord record)
    {
        Span<byte> bytes = stackalloc byte[SchedstatFormat.RecordBytes];
        SchedstatFormat.Write(bytes, record);
        Append(bytes);
        Records++;
    }

    public void WriteName(int tid, long timeNs, ReadOnlySpan<byte> name)
    {
        Span<byte> bytes = stackalloc byte[SchedstatFormat.RecordBytes];
        SchedstatFormat.WriteName(bytes, tid, timeNs, name);
        Append(bytes);
    }

    /// <summary>Passes the bytes written so far to the system, so that they survive this process.</summary>
    public void Flush() => _file.Flush();

    public void Dispose() => _file.Dispose();

    private void Append(ReadOnlySpan<byte> bytes)
    {
        _file.Write(bytes);
        Bytes += bytes.Length;
    }
}
