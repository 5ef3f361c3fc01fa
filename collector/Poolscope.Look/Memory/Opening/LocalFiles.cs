using System.Collections.Immutable;
using System.Reflection.PortableExecutable;
using System.Runtime.InteropServices;
using Microsoft.Diagnostics.Runtime;

namespace Poolscope.Look.Memory.Opening;

/// <summary>Finds the managed images that a dump leaves out: the files at the paths of the process, if they are of the
/// same build. Nothing is downloaded. The package's own locator asks symbol servers, with assemblies that Poolscope
/// does not have.</summary>
/// <param name="root">Folder that the target's paths begin in: a process's own mount namespace; empty for a
/// dump.</param>
internal sealed class LocalFiles(string root) : IFileLocator
{
    public string? FindPEImage(string fileName, int buildTimeStamp, int imageSize, bool checkProperties)
    {
        var path = root + fileName;
        try
        {
            // A pipe has no length, and opening it would wait for its writer.
            if (!Path.IsPathRooted(fileName) || new FileInfo(path) is not { Exists: true, Length: > 0 })
            {
                return null;
            }

            using var image = new PEReader(File.OpenRead(path));
            var headers = image.PEHeaders;
            return headers.CoffHeader.TimeDateStamp == buildTimeStamp && headers.PEHeader?.SizeOfImage == imageSize ? path : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or BadImageFormatException or ArgumentException)
        {
            return null;
        }
    }

    public string? FindPEImage(string fileName, SymbolProperties archivedUnder, ImmutableArray<byte> buildIdOrUUID, OSPlatform originalPlatform, bool checkProperties) => null;
}
