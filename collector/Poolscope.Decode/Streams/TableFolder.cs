using Poolscope.Decode.Errors;
using Poolscope.Tables;

namespace Poolscope.Decode.Streams;

/// <summary>CAPTURE/tables: appears complete or not at all.</summary>
internal static class TableFolder
{
    public const string Name = "tables";

    /// <summary>Writes all tables, replacing those of an earlier decoding.</summary>
    /// <exception cref="OutputRefusedException">The folder cannot be written, or the disk is full.</exception>
    public static void Write(string captureFolder, IEnumerable<Table> tables)
    {
        var final = Path.Combine(captureFolder, Name);
        try
        {
            RemoveLeftovers(captureFolder);
            var fresh = NewFile.CreateFolderBeside(final);
            foreach (var table in tables)
            {
                table.Write(fresh);
            }

            // A folder cannot be replaced in one step; between the two renames there is none, which readers know as "not decoded".
            var former = NewFile.Neighbour(final);
            if (Directory.Exists(final))
            {
                Directory.Move(final, former);
            }

            Directory.Move(fresh, final);
            Remove(former);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new OutputRefusedException($"The tables cannot be written to {final}: {e.Message}", e);
        }
    }

    /// <summary>What decoders that were killed left behind.</summary>
    private static void RemoveLeftovers(string captureFolder)
    {
        foreach (var folder in Directory.GetDirectories(captureFolder, Name + ".*tmp").Append(Path.Combine(captureFolder, Name + ".old")))
        {
            Remove(folder);
        }
    }

    private static void Remove(string folder)
    {
        if (Directory.Exists(folder))
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
