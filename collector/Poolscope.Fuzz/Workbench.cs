using System.Diagnostics;
using Poolscope.Decode;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Streams;
using Poolscope.Etw.Reading;
using Poolscope.Fuzz.Corpus;
using Poolscope.Fuzz.Formats;

namespace Poolscope.Fuzz;

/// <summary>The outcome of decoding one input.</summary>
/// <param name="Signature">Inputs with the same signature took the same way, as far as the result shows: which tables
/// exist, how many rows they have (by powers of two), and how each stream ended.</param>
/// <param name="AllocatedBytes">Bytes allocated in total, and so no less than were held at once.</param>
/// <param name="Failure">An exception that is not a proper answer; null: none.</param>
internal readonly record struct Outcome(int Signature, TimeSpan Time, long AllocatedBytes, Exception? Failure);

/// <summary>A capture folder on a disk in memory, in which one file after another is decoded.</summary>
internal sealed class Workbench : IDisposable
{
    private const string Memory = "/dev/shm";

    private readonly FileFormat _format;
    private readonly string _folder;

    /// <param name="memory">Folder to make the capture folder in; null: on a disk in memory if there is one.</param>
    public Workbench(FileFormat format, string? memory = null)
    {
        _format = format;
        if (format.IsReadByTraceEvent)
        {
            TraceMemory.Limit(0); // as the command does: one of these files may claim all memory of the machine
        }

        memory ??= Memory;
        _folder = Directory.Exists(memory)
            ? Directory.CreateDirectory(Path.Combine(memory, $"poolscope-fuzz-{Path.GetRandomFileName()}")).FullName
            : Directory.CreateTempSubdirectory("poolscope-fuzz").FullName;
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    /// <param name="seed">The seed whose capture the input becomes part of.</param>
    /// <param name="writes">Whether the tables are also written. Only then are the streams read in parallel, as the
    /// command does.</param>
    public Outcome Decode(Seed seed, byte[] input, bool writes, CancellationToken cancellation)
    {
        Lay(seed, input);
        var watch = Stopwatch.StartNew();
        var before = GC.GetAllocatedBytesForCurrentThread();
        var signature = default(HashCode);
        var failure = default(Exception);
        SideBySide.InTurn = !writes; // otherwise the other thread's allocations would not be counted
        try
        {
            _format.Prepare?.Invoke(_folder);
            if (writes)
            {
                CaptureDecoder.Decode(_folder, cancellation: cancellation);
            }
            else
            {
                Add(ref signature, CaptureDecoder.Read(_folder, progress: null, cancellation));
            }
        }
        catch (DecodeException e)
        {
            signature.Add(new string([.. e.Message.Where(char.IsAsciiLetter)]), StringComparer.Ordinal);
            failure = e.Message.Contains('\n', StringComparison.Ordinal) ? e : null;
        }
#pragma warning disable CA1031 // Any other exception is a finding.
        catch (Exception e)
#pragma warning restore CA1031
        {
            failure = e;
        }
        finally
        {
            SideBySide.InTurn = false;
        }

        return new Outcome(signature.ToHashCode(), watch.Elapsed, GC.GetAllocatedBytesForCurrentThread() - before, failure);
    }

    /// <summary>Returns the tables of the capture with the input in it.</summary>
    /// <exception cref="DecodeException">The input was refused.</exception>
    public DecodedCapture Read(Seed seed, byte[] input)
    {
        Lay(seed, input);
        _format.Prepare?.Invoke(_folder);
        return CaptureDecoder.Read(_folder, progress: null, CancellationToken.None);
    }

    private static void Add(ref HashCode signature, DecodedCapture decoded)
    {
        foreach (var table in decoded.Tables)
        {
            signature.Add(table.Schema.Name.Length);
            signature.Add(table.Count == 0 ? -1 : (int)Math.Log2(table.Count));
        }

        foreach (var stream in decoded.Capture.Streams)
        {
            signature.Add((stream.Cut, stream.Lost > 0));
            signature.Add(new string([.. (stream.Damage ?? "").Where(char.IsAsciiLetter)]).Length);
        }
    }

    private void Lay(Seed seed, byte[] input)
    {
        foreach (var entry in new DirectoryInfo(_folder).EnumerateFileSystemInfos())
        {
            if (entry is DirectoryInfo inner)
            {
                inner.Delete(recursive: true);
            }
            else
            {
                entry.Delete();
            }
        }

        Write(CaptureManifest.FileName, seed.Manifest);
        foreach (var (name, bytes) in seed.Beside)
        {
            Write(name, bytes);
        }

        Write(_format.File, input);
    }

    private void Write(string name, byte[] bytes)
    {
        var path = Path.Combine(_folder, name);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllBytes(path, bytes);
    }
}
