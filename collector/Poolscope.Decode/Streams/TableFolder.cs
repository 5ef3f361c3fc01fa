using Poolscope.Tables;

namespace Poolscope.Decode.Streams;

/// <summary>CAPTURE/tables: appears complete or not at all.</summary>
internal static class TableFolder
{
    public const string Name = "tables";

    /// <summary>Writes all tables, replacing those of an earlier decoding.</summary>
    /// <exception cref="DecodeException">The folder cannot be written, or the disk is full.</exception>
    public static void Write(string captureFolder, IEnumerable<Table> tables)
    {
        var final = Path.Combine(captureFolder, Name);
        var temporary = final + ".tmp";
        var former = final + ".old";
        try
        {
            Remove(temporary);
            Remove(former);
            Directory.CreateDirectory(temporary);
            foreach (var table in tables)
            {
                table.Write(temporary);
            }

            // A folder cannot be replaced in one step; between the two renames there is none, which readers know as "not decoded".
            if (Directory.Exists(final))
            {
                Directory.Move(final, former);
            }

            Directory.Move(temporary, final);
            Remove(former);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DecodeException($"The tables cannot be written to {final}: {e.Message}", e);
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
