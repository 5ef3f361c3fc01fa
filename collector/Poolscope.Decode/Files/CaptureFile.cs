using Poolscope.Decode.Errors;

namespace Poolscope.Decode.Files;

/// <summary>Opens the files of a capture, which may come from anybody: only what is a regular file. A pipe would block the
/// reader for ever, a device may have no end, and a link leads to files of the reader's own.</summary>
internal static class CaptureFile
{
    private const int BufferBytes = 1 << 16;

    /// <summary>Opens a file for reading. What has no length is not opened, but is empty: pipes and devices have none.</summary>
    /// <returns>A stream that knows its length.</returns>
    /// <exception cref="DecodeException">It is a link or a folder, or cannot be read.</exception>
    public static Stream Open(string path)
    {
        try
        {
            var file = new FileInfo(path);
            if (IsLink(file))
            {
                throw new DecodeException($"{file.Name} is a link: a capture holds none.");
            }

            return file.Length > 0
                ? new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, BufferBytes)
                : Stream.Null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DecodeException($"{Path.GetFileName(path)} cannot be read: {e.Message}", e);
        }
    }

    /// <summary>Whether a path leads elsewhere: a symbolic link, or a junction of Windows.</summary>
    public static bool IsLink(FileSystemInfo entry) => (entry.Attributes & FileAttributes.ReparsePoint) != 0;
}
