using System.IO.Compression;
using Microsoft.Diagnostics.Tracing.Etlx;

namespace Poolscope.Etw.Reading;

/// <summary>What to open for a trace. On Windows, TraceEvent makes an .etlx of Windows' own .etl, with stacks already joined to their
/// events, and any system reads that; TraceEvent makes none elsewhere, where the .etl itself is read (<see cref="EtlTrace"/>).</summary>
public static class TraceFile
{
    private const string Digested = ".etlx";
    private const string Raw = ".etl";
    private const string Zipped = ".etl.zip";

    /// <summary>Whether a path is named like a trace of Windows.</summary>
    public static bool IsTrace(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        return IsDigested(path) || EndsWith(path, Raw) || EndsWith(path, Zipped);
    }

    public static bool IsDigested(string path) => EndsWith(path, Digested);

    /// <summary>The name without what says that it is a trace.</summary>
    public static string Stem(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        return new[] { Zipped, Digested, Raw }.FirstOrDefault(e => EndsWith(path, e)) is { } extension ? path[..^extension.Length] : path;
    }

    /// <summary>Opens a trace. An .etl is read as it is, unless <paramref name="digest"/> was made of it; on Windows that is made
    /// if it is missing or older.</summary>
    /// <param name="digest">Where the .etlx of an .etl lies, or is to lie; what is unpacked lies beside it as long as the trace is open.</param>
    /// <exception cref="InvalidDataException">It is damaged; one line for a person.</exception>
    public static ITrace Open(string trace, string digest, IProgress<string>? progress)
    {
        if (IsDigested(trace))
        {
            return EtlxTrace.Open(trace);
        }

        // Copying a folder may have mixed up the times; elsewhere nobody makes another digest.
        if (File.Exists(digest)
            && (!OperatingSystem.IsWindows() || !File.Exists(trace) || File.GetLastWriteTimeUtc(digest) >= File.GetLastWriteTimeUtc(trace)))
        {
            return EtlxTrace.Open(digest);
        }

        return OperatingSystem.IsWindows() ? EtlxTrace.Open(Digest(trace, digest, progress)) : EtlTrace.Open(trace, Path.GetDirectoryName(Path.GetFullPath(digest))!);
    }

    private static string Digest(string trace, string digest, IProgress<string>? progress)
    {
        progress?.Report($"{Path.GetFileName(trace)}: converting");
        try
        {
            Convert(trace, digest);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            File.Delete(digest);
            throw new InvalidDataException($"{Path.GetFileName(trace)} cannot be read: {e.Message}", e);
        }

        return digest;
    }

    /// <summary>Lost events are counted and said by the reader, so they do not end the conversion, and neither does the end
    /// of a file that a crash cut. All events are kept: by default TraceEvent takes out those that name methods, which the
    /// stacks of other readers need.</summary>
    private static void Convert(string trace, string digest)
    {
        var options = new TraceLogOptions { ContinueOnError = true, KeepAllEvents = true, ConversionLog = TextWriter.Null };
        if (!EndsWith(trace, Zipped))
        {
            TraceLog.CreateFromEventTraceLogFile(trace, digest, options);
            return;
        }

        var unpacked = digest + Raw;
        try
        {
            Unpack(trace, unpacked);
            TraceLog.CreateFromEventTraceLogFile(unpacked, digest, options);
        }
        finally
        {
            File.Delete(unpacked);
        }
    }

    /// <summary>Takes out the trace alone: PerfView packs symbol files beside it, which nothing here reads.</summary>
    /// <exception cref="InvalidDataException">There is none in it, or it is no zip.</exception>
    internal static void Unpack(string zip, string path)
    {
        using var archive = ZipFile.OpenRead(zip);
        var entry = archive.Entries.FirstOrDefault(e => EndsWith(e.Name, Raw)) ?? throw new InvalidDataException("it holds no .etl");
        entry.ExtractToFile(path, overwrite: true);
    }

    private static bool EndsWith(string path, string extension) => path.EndsWith(extension, StringComparison.OrdinalIgnoreCase);
}
