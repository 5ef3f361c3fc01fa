using System.IO.Compression;
using Microsoft.Diagnostics.Tracing.Etlx;

namespace Poolscope.Etw.Reading;

/// <summary>Chooses the file to open for a trace. On Windows, TraceEvent converts an .etl to an .etlx, with stacks
/// already joined to their events, and any system reads that. TraceEvent cannot convert elsewhere, so other systems
/// read the .etl itself (<see cref="EtlTrace"/>).</summary>
public static class TraceFile
{
    private const string Digested = ".etlx";
    private const string Raw = ".etl";
    private const string Zipped = ".etl.zip";

    /// <summary>Returns whether a path has the name of a Windows trace.</summary>
    public static bool IsTrace(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        return IsDigested(path) || EndsWith(path, Raw) || EndsWith(path, Zipped);
    }

    public static bool IsDigested(string path) => EndsWith(path, Digested);

    /// <summary>Returns a path without the extension of a trace.</summary>
    public static string Stem(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        return new[] { Zipped, Digested, Raw }.FirstOrDefault(e => EndsWith(path, e)) is { } extension ? path[..^extension.Length] : path;
    }

    /// <summary>Opens a trace. Reads an .etl directly, unless <paramref name="digest"/> was made from it. On Windows,
    /// makes the digest if it is missing or older.</summary>
    /// <param name="digest">Path of the .etl's .etlx, existing or to be made. Unpacked files lie beside it while the
    /// trace is open.</param>
    /// <exception cref="InvalidDataException">The trace is damaged; the message is one line for a person.</exception>
    public static ITrace Open(string trace, string digest, IProgress<string>? progress)
    {
        if (IsDigested(trace))
        {
            return EtlxTrace.Open(trace);
        }

        // Copying a folder may have changed the times, and other systems make no other digest.
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

    /// <summary>Converts an .etl to an .etlx. Lost events do not end the conversion, because the reader counts and
    /// reports them; nor does the end of a file that a crash cut. Keeps all events: by default TraceEvent removes those
    /// that name methods, which the stacks of other readers need.</summary>
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

    /// <summary>Extracts only the trace. PerfView also packs symbol files, which Poolscope does not read.</summary>
    /// <exception cref="InvalidDataException">The file is not a zip or holds no .etl.</exception>
    internal static void Unpack(string zip, string path)
    {
        using var archive = ZipFile.OpenRead(zip);
        var entry = archive.Entries.FirstOrDefault(e => EndsWith(e.Name, Raw)) ?? throw new InvalidDataException("it holds no .etl");
        entry.ExtractToFile(path, overwrite: true);
    }

    private static bool EndsWith(string path, string extension) => path.EndsWith(extension, StringComparison.OrdinalIgnoreCase);
}
