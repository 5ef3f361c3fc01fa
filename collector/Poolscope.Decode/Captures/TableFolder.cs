using Poolscope.Decode.Errors;
using Poolscope.Tables;

namespace Poolscope.Decode.Captures;

/// <summary>CAPTURE/tables under construction. It appears complete, in <see cref="Complete"/>, or not at all.</summary>
internal sealed class TableFolder(string captureFolder) : IDisposable
{
    public const string Name = "tables";

    private const int MostWriters = 4;

    private readonly Lock _lock = new();
    private readonly string _final = Path.Combine(captureFolder, Name);
    private readonly HashSet<Table> _written = [];
    private string? _fresh;

    /// <summary>Writes a table that is complete before others, and releases its memory. Any thread may call.</summary>
    /// <exception cref="OutputRefusedException">The folder cannot be written, or the disk is full.</exception>
    public void Add(Table table) => Refusing(() =>
    {
        table.Write(Fresh());
        table.Release();
        lock (_lock)
        {
            _written.Add(table);
        }
    });

    /// <summary>Writes the remaining tables. All tables together replace those of an earlier decoding.</summary>
    /// <exception cref="OutputRefusedException">The folder cannot be written, or the disk is full.</exception>
    public void Complete(IEnumerable<Table> tables) => Refusing(() =>
    {
        var fresh = Fresh();
        WriteAll(fresh, tables.Except(_written));

        // A folder cannot be replaced in one step. Between the renames none exists: readers report "not decoded".
        var former = NewFile.Neighbour(_final);
        if (Directory.Exists(_final))
        {
            Directory.Move(_final, former);
        }

        Directory.Move(fresh, _final);
        _fresh = null;
        Remove(former);
    });

    /// <summary>Removes the written tables, unless they were completed.</summary>
    public void Dispose()
    {
        if (_fresh is { } unfinished)
        {
            try
            {
                Remove(unfinished);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // The next decoding removes the folder. The caller already reports the original error.
            }
        }
    }

    /// <summary>Returns the new folder. Creates it on first use, so that a folder that is not a capture stays
    /// unchanged.</summary>
    private string Fresh()
    {
        lock (_lock)
        {
            if (_fresh is null)
            {
                RemoveLeftovers(captureFolder);
                _fresh = NewFile.CreateFolderBeside(_final);
            }

            return _fresh;
        }
    }

    private void Refusing(Action write)
    {
        try
        {
            write();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new OutputRefusedException($"The tables cannot be written to {_final}: {e.Message}", e);
        }
    }

    /// <summary>Writes tables in parallel, the largest first: two or three of them are most of the work.</summary>
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

    /// <summary>Removes the folders that killed decoders left behind.</summary>
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
