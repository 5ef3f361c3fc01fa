using Poolscope.Decode.Errors;

namespace Poolscope.Decode.Files;

/// <summary>Opens the files of a capture, which may come from an untrusted source. Opens only regular files: a pipe
/// would block the reader forever, a device may have no end, and a link leads to the reader's own files.</summary>
internal static class CaptureFile
{
    private const int BufferBytes = 1 << 16;

    /// <summary>Opens a file for reading. A file without length, such as a pipe or a device, is read as empty,
    /// unopened.</summary>
    /// <returns>A stream that reports its length.</returns>
    /// <exception cref="DecodeException">The file is a link or a folder, or cannot be read.</exception>
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

    /// <summary>Returns whether a path leads elsewhere: a symbolic link, or a junction of Windows.</summary>
    public static bool IsLink(FileSystemInfo entry) => (entry.Attributes & FileAttributes.ReparsePoint) != 0;
}
