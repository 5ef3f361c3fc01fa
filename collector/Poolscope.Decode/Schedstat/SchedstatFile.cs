namespace Poolscope.Decode.Schedstat;

/// <param name="FirstNs">-1: none.</param>
/// <param name="LastNs">Last moment that was polled, as far as the file tells; -1: none.</param>
/// <param name="Records">Readings, births and ends.</param>
/// <param name="Cut">The recording did not end in order.</param>
internal readonly record struct SchedstatSummary(long FirstNs, long LastNs, long Records, bool Cut);

/// <summary>Reads schedstat.bin.</summary>
internal static class SchedstatFile
{
    /// <summary>Sends every whole record, in the order of the file.</summary>
    /// <exception cref="InvalidDataException">It is no such file, or damaged.</exception>
    /// <exception cref="OperationCanceledException">Cancelled between records.</exception>
    internal static SchedstatSummary Read(string path, Action<SchedstatRecord> add, CancellationToken cancellation)
    {
        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, 1 << 16);
        Span<byte> bytes = stackalloc byte[SchedstatFormat.RecordBytes];
        var header = bytes[..SchedstatFormat.HeaderBytes];
        SchedstatFormat.ReadHeader(header[..file.ReadAtLeast(header, header.Length, throwOnEndOfStream: false)]);
        var (first, last, records, cut) = (-1L, -1L, 0L, true);
        while (file.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false) == bytes.Length)
        {
            cancellation.ThrowIfCancellationRequested();
            if (bytes[44] == 0)
            {
                break; // after a power failure the end may be zeros that were never written
            }

            var record = SchedstatFormat.Read(bytes);
            add(record);
            first = first < 0 ? record.TimeNs : first;
            last = Math.Max(last, record.TimeNs);
            records += record.Kind is SchedstatRecordKind.Name or SchedstatRecordKind.Finished ? 0 : 1;
            cut = record.Kind != SchedstatRecordKind.Finished;
        }

        return new SchedstatSummary(first, last, records, cut);
    }
}
