using Poolscope.Decode.Errors;
using Poolscope.Tables;

namespace Poolscope.Decode.Streams;

/// <summary>CAPTURE/tables: appears complete or not at all.</summary>
internal static class TableFolder
{
    public const string Name = "tables";

    private const int MostWriters = 4;

    /// <summary>Writes all tables, replacing those of an earlier decoding.</summary>
    /// <exception cref="OutputRefusedException">The folder cannot be written, or the disk is full.</exception>
    public static void Write(string captureFolder, IEnumerable<Table> tables)
    {
        var final = Path.Combine(captureFolder, Name);
        try
        {
            RemoveLeftovers(captureFolder);
            var fresh = NewFile.CreateFolderBeside(final);
            WriteAll(fresh, tables);

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

    /// <summary>Two or three of the tables are most of the work.</summary>
    private static void WriteAll(string folder, IEnumerable<Table> tables)
    {
        try
        {
            Parallel.ForEach(
                tables.OrderByDescending(table => table.Count),
                new ParallelOptions { MaxDegreeOfParallelism = Math.Min(Environment.ProcessorCount, MostWriters) },
                table => table.Write(folder));
        }
        catch (AggregateException e) when (e.InnerException is IOException or UnauthorizedAccessException)
        {
            throw new IOException(e.InnerException.Message, e.InnerException);
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
