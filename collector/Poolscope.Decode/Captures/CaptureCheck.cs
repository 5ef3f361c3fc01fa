using System.Text.Json;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Files;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Stacks;
using Poolscope.Etw.Reading;

namespace Poolscope.Decode.Captures;

/// <summary>Checks a capture, which may come from an untrusted source, before any of its streams is opened.</summary>
internal static class CaptureCheck
{
    // The streams of a capture lie in its folder, or in one folder in it.
    private const int DeepestFile = 2;

    /// <summary>Makes sure that nothing in the folder leads out of it. The folder itself may be a link, because the
    /// user named it.</summary>
    /// <exception cref="CaptureRefusedException">The folder holds a link.</exception>
    /// <exception cref="DecodeException">The folder cannot be read.</exception>
    public static void Links(string folder)
    {
        var options = new EnumerationOptions { RecurseSubdirectories = true, MaxRecursionDepth = DeepestFile, AttributesToSkip = 0, IgnoreInaccessible = false };
        try
        {
            if (!Directory.Exists(folder))
            {
                return; // the search for the manifest reports this
            }

            foreach (var entry in new DirectoryInfo(folder).EnumerateFileSystemInfos("*", options))
            {
                if (CaptureFile.IsLink(entry))
                {
                    throw new CaptureRefusedException($"{folder} holds a link, {Path.GetRelativePath(folder, entry.FullName)}: no capture does; it is not read");
                }
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DecodeException($"{folder} cannot be read: {e.Message}", e);
        }
    }

    /// <summary>Makes sure that a manifest names no file outside its folder, lists no stream twice, and has consistent
    /// times.</summary>
    /// <exception cref="JsonException">The manifest fails a check.</exception>
    public static void Manifest(CaptureManifest manifest)
    {
        foreach (var stream in manifest.Streams)
        {
            if (stream.Tier == StreamTiers.Etw ? !IsTracePath(stream.File) : !IsInside(stream.File))
            {
                throw new JsonException("a stream's file is outside of the capture.");
            }

            if (stream is { StartNs: > 0, EndNs: > 0 } && stream.StartNs > stream.EndNs)
            {
                throw new JsonException($"{stream.File} ends before it starts.");
            }
        }

        if (manifest.Streams.DistinctBy(stream => stream.File).Count() != manifest.Streams.Count)
        {
            throw new JsonException("a stream is listed twice.");
        }
    }

    /// <summary>Returns whether a path may name a trace of Windows. The trace may lie beside its capture, but not on a
    /// server that the capture names: opening it would reveal the reader to the server.</summary>
    private static bool IsTracePath(string file) =>
        TraceFile.IsTrace(file) && !file.Any(char.IsControl) && (LocalPath.Is(file, windows: true) || (file[0] != '/' && file.IndexOfAny(['\\', ':', '\0']) < 0));

    private static bool IsInside(string file) =>
        file.Length > 0 && !file.Any(char.IsControl) && file.IndexOfAny(['\\', ':']) < 0
        && file.Split('/') is { Length: <= DeepestFile } parts
        && parts.All(part => part.Length > 0 && part is not ("." or ".."));
}
