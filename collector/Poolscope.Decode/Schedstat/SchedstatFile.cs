using Poolscope.Decode.Errors;
using Poolscope.Decode.Files;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Schedstat;

/// <param name="FirstNs">Time of the first record; -1 if none.</param>
/// <param name="LastNs">Last polled moment that the file shows; -1 if none.</param>
/// <param name="Records">Number of readings, births and ends.</param>
/// <param name="Cut">Whether the recording did not end properly.</param>
/// <param name="Damage">What is impossible in a record, for the user; null if nothing. The records before it were
/// sent.</param>
internal readonly record struct SchedstatSummary(long FirstNs, long LastNs, long Records, bool Cut, string? Damage = null);

/// <summary>Reads schedstat.bin.</summary>
internal static class SchedstatFile
{
    /// <summary>Sends every whole record, in the order of the file.</summary>
    /// <param name="bounds">The limits that the rest of the capture sets for times.</param>
    /// <exception cref="InvalidDataException">The file is not a schedstat.bin.</exception>
    /// <exception cref="DecodeException">The file cannot be opened.</exception>
    /// <exception cref="OperationCanceledException">Cancelled between records.</exception>
    internal static SchedstatSummary Read(string path, StreamBounds bounds, Action<SchedstatRecord> add, CancellationToken cancellation)
    {
        using var file = CaptureFile.Open(path);
        Span<byte> bytes = stackalloc byte[SchedstatFormat.RecordBytes];
        var header = bytes[..SchedstatFormat.HeaderBytes];
        SchedstatFormat.ReadHeader(header[..file.ReadAtLeast(header, header.Length, throwOnEndOfStream: false)]);
        var (first, last, records, cut) = (-1L, -1L, 0L, true);
        while (file.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false) == bytes.Length)
        {
            cancellation.ThrowIfCancellationRequested();
            if (bytes[44] == 0)
            {
                break; // after a power failure the file may end in zeros
            }

            if (!SchedstatFormat.TryRead(bytes, out var record) || !bounds.Holds(record.TimeNs)
                || (record.Kind == SchedstatRecordKind.Born && !bounds.Holds(record.PreviousNs)))
            {
                return new SchedstatSummary(first, last, records, Cut: true, $"byte {file.Position - bytes.Length}: a record that cannot be");
            }

            add(record);
            first = first < 0 ? record.TimeNs : first;
            last = Math.Max(last, record.TimeNs);
            records += record.Kind is SchedstatRecordKind.Name or SchedstatRecordKind.Finished ? 0 : 1;
            cut = record.Kind != SchedstatRecordKind.Finished;
        }

        return new SchedstatSummary(first, last, records, cut);
    }
}
