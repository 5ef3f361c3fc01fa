using Poolscope.Decode.Captures;
using Poolscope.Decode.Errors;
using Poolscope.Tables;
using Xunit;

namespace Poolscope.Decode.Tests.Captures;

/// <summary>Tables that are complete at different times.</summary>
public sealed class TableFolderTests : IDisposable
{
    private readonly DirectoryInfo _capture = Directory.CreateTempSubdirectory("poolscope-tables");

    public void Dispose() => _capture.Delete(recursive: true);

    [Fact]
    public void Tables_that_come_early_appear_with_the_others_and_hold_no_rows_any_more()
    {
        using var folder = new TableFolder(_capture.FullName);
        var (workers, losses) = (Workers(3), Table.Create("losses"));
        folder.Add(workers);
        Assert.False(Directory.Exists(Tables));
        Assert.Equal(3, workers.Count);
        Assert.Equal(0, workers.Int32("tid").Count);

        folder.Complete([workers, losses]);

        Assert.Equal([Tables], _capture.GetDirectories().Select(found => found.FullName));
        Assert.Equal(["losses.npz", "workers.npz"], Directory.GetFiles(Tables).Select(Path.GetFileName).Order());
        Workers(3).Write(_capture.FullName);
        Assert.Equal(File.ReadAllBytes(Path.Combine(_capture.FullName, "workers.npz")), File.ReadAllBytes(Path.Combine(Tables, "workers.npz")));
        Assert.Throws<InvalidOperationException>(() => workers.Write(_capture.FullName));
    }

    [Fact]
    public void What_is_not_completed_leaves_the_former_tables_and_nothing_else()
    {
        Directory.CreateDirectory(Tables);
        File.WriteAllText(Path.Combine(Tables, "former"), "");
        using (var folder = new TableFolder(_capture.FullName))
        {
            folder.Add(Workers(3));
            Assert.Equal(2, _capture.GetDirectories().Length);
        }

        Assert.Equal([Tables], _capture.GetDirectories().Select(found => found.FullName));
        Assert.True(File.Exists(Path.Combine(Tables, "former")));
    }

    [Fact]
    public void A_folder_that_cannot_be_written_is_told_with_its_name()
    {
        using var folder = new TableFolder(Path.Combine(_capture.FullName, "none"));

        Assert.Contains("cannot be written", Assert.Throws<OutputRefusedException>(() => folder.Add(Workers(1))).Message, StringComparison.Ordinal);
    }

    private string Tables => Path.Combine(_capture.FullName, "tables");

    private static Table Workers(int rows)
    {
        var table = Table.Create("workers");
        for (var row = 0; row < rows; row++)
        {
            table.Int32("tid").Add(row);
            table.Int64("start").Add(row);
            table.Int64("stop").Add(-1);
        }

        return table;
    }
}
