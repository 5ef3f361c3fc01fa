using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace Poolscope.Decode.Stacks;

/// <summary>A place in source code.</summary>
/// <param name="File">Path as the compiler wrote it into the PDB.</param>
/// <param name="Line">Line number, from 1.</param>
/// <param name="Exact">Whether it is the line of the code itself; otherwise the first line of its method.</param>
internal sealed record SourceLine(string File, int Line, bool Exact);

/// <summary>Finds source lines in the portable PDBs of modules: at the build's path, beside the module, or inside it.
/// Only a PDB with the id that the runtime reported for the module counts, so a newer build is not mistaken for the one
/// that ran.</summary>
internal sealed class SourceLines : IDisposable
{
    // A metadata token has its table in the highest byte, then the row, from 1.
    private const int RowMask = 0xff_ffff;
    private const int MethodDefinition = 0x0600_0000;

    // The PDB of a very large program takes some tens of MB.
    private const long LargestFile = 512L << 20;

    private readonly Dictionary<ManagedModule, MetadataReaderProvider?> _pdbs = [];

    /// <param name="ilOffset">The IL offset; -1 if unknown.</param>
    /// <returns>The line; null if there is no PDB or it has no lines for the method.</returns>
    public SourceLine? Find(ManagedModule module, int methodToken, int ilOffset)
    {
        if (!_pdbs.TryGetValue(module, out var pdb))
        {
            _pdbs.Add(module, pdb = Open(module));
        }

        try
        {
            return pdb is null ? null : Find(pdb.GetMetadataReader(), methodToken, ilOffset);
        }
        catch (BadImageFormatException)
        {
            return null;
        }
    }

    public void Dispose()
    {
        foreach (var pdb in _pdbs.Values)
        {
            pdb?.Dispose();
        }
    }

    private static SourceLine? Find(MetadataReader reader, int methodToken, int ilOffset)
    {
        var row = methodToken & RowMask;
        if ((methodToken & ~RowMask) != MethodDefinition || row == 0 || row > reader.MethodDebugInformation.Count)
        {
            return null;
        }

        var (first, best) = (default(SequencePoint?), default(SequencePoint?));
        foreach (var point in reader.GetMethodDebugInformation(MetadataTokens.MethodDefinitionHandle(row)).GetSequencePoints())
        {
            if (point.IsHidden)
            {
                continue; // compiler-generated code belongs to the code before it
            }

            first ??= point;
            best = point.Offset <= ilOffset ? point : best;
        }

        return (best ?? first) is { } found
            ? new SourceLine(reader.GetString(reader.GetDocument(found.Document).Name), found.StartLine, Exact: best is not null)
            : null;
    }

    private static MetadataReaderProvider? Open(ManagedModule module)
    {
        if (module.PdbId == Guid.Empty)
        {
            return null;
        }

        foreach (var path in new[] { module.PdbPath, Path.ChangeExtension(module.Path, ".pdb") })
        {
            if (LocalPath.Is(path) && path.EndsWith(".pdb", StringComparison.OrdinalIgnoreCase)
                && TryOpen(path, static (file, options) => MetadataReaderProvider.FromPortablePdbStream(file, options), module.PdbId) is { } beside)
            {
                return beside;
            }
        }

        return LocalPath.Is(module.Path) ? TryOpen(module.Path, Embedded, module.PdbId) : null;
    }

    private static MetadataReaderProvider? Embedded(Stream image, MetadataStreamOptions options)
    {
        using var reader = new PEReader(image, PEStreamOptions.LeaveOpen);
        var entry = reader.ReadDebugDirectory().FirstOrDefault(e => e.Type == DebugDirectoryEntryType.EmbeddedPortablePdb);
        return entry.DataSize > 0 ? reader.ReadEmbeddedPortablePdbDebugDirectoryData(entry) : null;
    }

    /// <summary>Opens a PDB. The path comes from the capture, so it may be any text, and may be another file on this
    /// machine.</summary>
    private static MetadataReaderProvider? TryOpen(
        string path, Func<Stream, MetadataStreamOptions, MetadataReaderProvider?> read, Guid id)
    {
        try
        {
            if (new FileInfo(path) is not { Exists: true, Length: > 0 and < LargestFile })
            {
                return null; // pipes and devices have no length
            }

            using var file = File.OpenRead(path);
            var provider = read(file, MetadataStreamOptions.PrefetchMetadata);
            if (provider?.GetMetadataReader().DebugMetadataHeader is { } header && new BlobContentId(header.Id).Guid == id)
            {
                return provider;
            }

            provider?.Dispose();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or BadImageFormatException or ArgumentException or InvalidDataException)
        {
            // A Windows PDB, an incomplete file or a damaged file counts as missing.
        }

        return null;
    }
}
