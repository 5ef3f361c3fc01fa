using System.Collections.Immutable;
using System.Reflection.PortableExecutable;
using System.Runtime.InteropServices;
using Microsoft.Diagnostics.Runtime;

namespace Poolscope.Look.Memory.Opening;

/// <summary>Finds the managed images that a dump leaves out: those that lie where the process had them, and are the same build. Nothing
/// is fetched: the package's own way asks symbol servers, with assemblies that are not here.</summary>
/// <param name="root">Folder that the target's paths begin in: of a process, its own mount namespace; empty for a dump.</param>
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
