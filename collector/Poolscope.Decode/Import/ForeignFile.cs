using System.Buffers.Binary;
using System.Text;
using System.Text.RegularExpressions;
using Poolscope.Decode.Errors;

namespace Poolscope.Decode.Import;

/// <summary>Identifies a file of another tool by its first bytes: a name proves nothing.</summary>
public static partial class ForeignFile
{
    /// <summary>The number of bytes that identify a file.</summary>
    private const int Head = 4096;

    private const int NettraceMagicBytes = 8;
    private const int VersionOffset = 12;

    // The length of the text that follows this number, in the formats of tagged objects.
    private const int TagLength = 20;

    // e_type in the header of an ELF file, and its value for a core dump.
    private const int ElfType = 16;
    private const byte ElfCore = 4;

    // The offset of "ustar" in the header of the first file in a tar archive.
    private const int TarOffset = 257;

    private const string Recorded = "record with `dotnet-trace collect` instead: poolscope recipe dotnet-trace";

    /// <summary>Makes sure that a file is a .nettrace of a supported version (4 and 5: every runtime from .NET Core 3.0
    /// to .NET 10; 6: `dotnet-trace collect-linux`).</summary>
    /// <exception cref="CaptureRefusedException">The file is something else. The message says what it is and what to
    /// send instead.</exception>
    /// <exception cref="DecodeException">The file cannot be read.</exception>
    public static void RequireNettrace(string path)
    {
        var head = Start(path);
        if (Refusal(head, path) is { } why)
        {
            throw new CaptureRefusedException($"{path} {why}");
        }
    }

    /// <returns>False also if the file does not exist or cannot be read.</returns>
    public static bool BeginsAsNettrace(string path)
    {
        try
        {
            return File.Exists(path) && Start(path).AsSpan().StartsWith("Nettrace"u8);
        }
        catch (DecodeException)
        {
            return false;
        }
    }

    /// <returns>Null for a supported .nettrace.</returns>
    private static string? Refusal(ReadOnlySpan<byte> head, string path)
    {
        if (head.IsEmpty)
        {
            return "is empty, or a pipe or device: name a regular file";
        }

        if (head.StartsWith("Nettrace"u8))
        {
            return OfNettrace(head[NettraceMagicBytes..]);
        }

        if (head.Length > 5 && BinaryPrimitives.ReadInt32LittleEndian(head) == TagLength && head[sizeof(int)..].StartsWith("!FastSerialization.1"u8))
        {
            if (head.IndexOf("GCHeapDump"u8) >= 0)
            {
                return $"is a heap snapshot of dotnet-gcdump, which holds objects and no work items; {Recorded}";
            }

            return path.EndsWith(".netperf", StringComparison.OrdinalIgnoreCase)
                || head.IndexOf("\u0005\0\0\0Trace"u8) >= 0
                ? $"is a .netperf file, which .NET Core 2 wrote; nothing of it is read; run the program on .NET 8 or newer, and {Recorded}"
                : $"is no .nettrace file but another of TraceEvent's formats, such as an .etlx that is named otherwise; {Recorded}";
        }

        if (head.StartsWith("PERFILE2"u8))
        {
            return "holds the kernel's events alone; name the .nettrace that was recorded beside it first: poolscope decode FILE.nettrace --scheduler perf.data";
        }

        if (head.StartsWith("PK"u8))
        {
            return path.EndsWith(".trace.zip", StringComparison.OrdinalIgnoreCase)
                ? $"is an archive of perfcollect, which holds text and not the records of perf; {Recorded}"
                : $"is a zip file: unpack it to decode what is in it; a decoded capture, or one trace, is read as it is: poolscope report {path}";
        }

        if (head is [0x1f, 0x8b, ..])
        {
            return $"is packed with gzip: unpack it, or have it read as it is, if a .nettrace is in it: poolscope report {path}";
        }

        if (head.StartsWith("MDMP"u8))
        {
            return $"is a memory dump of Windows, which is not read; to see its pool there, run: dotnet-dump analyze {path} -c threadpool; or {Recorded}";
        }

        if (head.StartsWith("\u007fELF"u8) && head.Length > ElfType && head[ElfType] == ElfCore)
        {
            return $"is a memory dump, which shows one moment and not how long work items waited; for that moment: poolscope look {path}; or {Recorded}";
        }

        if (head.StartsWith("Timestamp,Provider,Counter Name,"u8) || head.IndexOf("\"TargetProcess\""u8) >= 0)
        {
            return $"holds counters of dotnet-counters: totals per interval, and no work items; {Recorded}";
        }

        if (head.StartsWith("<!DOCTYPE html"u8) || head.StartsWith("<!doctype html"u8) || head.StartsWith("<html"u8))
        {
            return "is a web page, perhaps the one to sign in to where the file lies; name the file itself";
        }

        if (head.Length > TarOffset && head[TarOffset..].StartsWith("ustar"u8))
        {
            return "is an archive of tar: unpack it, and name the file or folder that was in it";
        }

        if (head.StartsWith("{"u8))
        {
            return "is JSON, as `dotnet-trace convert` writes it for speedscope or Chromium; it has no work items any more: name the .nettrace that it was made from";
        }

        if (Stacks().IsMatch(Encoding.Latin1.GetString(head)))
        {
            return $"holds stacks of dotnet-stack, which show one moment and not how long work items waited; for more of such a moment: poolscope look -p PID; or {Recorded}";
        }

        return PerfScript().IsMatch(Encoding.Latin1.GetString(head))
            ? "is text, as `perf script` prints it: the kernel's events alone; name the .nettrace that was recorded beside it first: poolscope decode FILE.nettrace --scheduler sched.txt"
            : "is neither a capture nor a trace that is read: decode takes the folder of a capture, a .nettrace of dotnet-trace, or a trace of Windows (.etl, .etl.zip, .etlx)";
    }

    private static string? OfNettrace(ReadOnlySpan<byte> rest)
    {
        if (rest.Length >= TagLength + sizeof(int) && BinaryPrimitives.ReadInt32LittleEndian(rest) == TagLength)
        {
            return null; // the first object holds the version
        }

        if (rest.Length >= VersionOffset - sizeof(int) && BinaryPrimitives.ReadInt32LittleEndian(rest) == 0 && BinaryPrimitives.ReadInt32LittleEndian(rest[sizeof(int)..]) is > 0 and < 1000 and var version)
        {
            return version == 6 ? null : $"is of version {version} of the nettrace format; versions 4, 5 and 6 are read; {Recorded}";
        }

        return "begins as a .nettrace file and ends before its header does";
    }

    private static byte[] Start(string path)
    {
        try
        {
            if (new FileInfo(path).Length == 0)
            {
                return []; // a pipe or device has no length, and opening a pipe would wait for a writer
            }

            using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
            var head = new byte[Math.Min(Head, file.Length)];
            return head[..file.ReadAtLeast(head, head.Length, throwOnEndOfStream: false)];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DecodeException($"{path} cannot be read: {e.Message}", e);
        }
    }

    // Thread (0x28D3):
    //   [Native Frames]
    [GeneratedRegex(@"^Thread \(0x[0-9A-F]+\):\r?\n  \S", RegexOptions.Multiline | RegexOptions.NonBacktracking)]
    private static partial Regex Stacks();

    // swapper     0 [001] 64540.338237: sched:sched_switch: ...
    [GeneratedRegex(@"^\s*\S.*?\s+\d+(/\d+)?\s+(\[\d+\]\s+)?\d+\.\d{6,9}:\s", RegexOptions.Multiline | RegexOptions.NonBacktracking)]
    private static partial Regex PerfScript();
}
