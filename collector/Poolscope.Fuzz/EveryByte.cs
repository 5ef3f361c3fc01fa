using System.Globalization;
using Poolscope.Decode.Errors;
using Poolscope.Fuzz.Corpus;
using Poolscope.Fuzz.Formats;
using Poolscope.Tables;

namespace Poolscope.Fuzz;

/// <summary>Changes each byte of a file on its own, and says whether the tables show it. A report would accept an
/// unnoticed change as true.</summary>
internal static class EveryByte
{
    private const int Few = 3;
    private const string Many = "not told, many rows";
    private const int FlipAll = 0xff;
    private const int FlipLow = 0x01;
    private const int FlipHigh = 0x80;

    /// <returns>Always 0.</returns>
    public static int Run(FileFormat format, string golden)
    {
        var seed = Seeds.Of(format, golden).MinBy(s => s.File.Length)!;
        var sound = TablesOf(format, seed, seed.File)!;
        var counts = new SortedDictionary<string, int>(StringComparer.Ordinal);
        for (var at = 0; at < seed.File.Length; at++)
        {
            foreach (var mask in new[] { FlipLow, FlipHigh, FlipAll })
            {
                var changed = seed.File.ToArray();
                changed[at] ^= (byte)mask;
                var what = Compare(sound, TablesOf(format, seed, changed));
                counts[what] = counts.GetValueOrDefault(what) + 1;
                if (what.StartsWith(Many, StringComparison.Ordinal))
                {
                    Console.WriteLine($"  byte {at} ^ {mask:x2}: {what}");
                }
            }
        }

        Console.WriteLine($"{format.Name}: {seed.File.Length} bytes, {3 * seed.File.Length} changes");
        foreach (var (what, count) in counts)
        {
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"  {count,7} {100.0 * count / (3 * seed.File.Length),5:0.0} %  {what}"));
        }

        return 0;
    }

    private static string Compare(Dictionary<string, int[]> sound, Dictionary<string, int[]>? changed)
    {
        if (changed is null)
        {
            return "refused";
        }

        if (!changed["losses"].AsSpan().SequenceEqual(sound["losses"]))
        {
            return "told as damage or loss";
        }

        var different = changed.Where(table => !sound.TryGetValue(table.Key, out var same) || !table.Value.AsSpan().SequenceEqual(same)).ToList();
        if (different.Count == 0)
        {
            return "no difference in any table";
        }

        // Counts the rows that only one of the two tables has, in any order.
        var rows = different.Max(table => sound.TryGetValue(table.Key, out var same)
            ? Math.Max(same.Except(table.Value).Count(), table.Value.Except(same).Count())
            : table.Value.Length);
        return $"{(rows > Few ? Many : "not told, few rows")}: {string.Join(' ', different.Select(table => table.Key))}";
    }

    /// <returns>The contents of each row of each table as one number; null: the file was refused.</returns>
    private static Dictionary<string, int[]>? TablesOf(FileFormat format, Seed seed, byte[] file)
    {
        using var bench = new Workbench(format);
        try
        {
            return bench.Read(seed, file).Tables.ToDictionary(table => table.Schema.Name, Rows);
        }
        catch (DecodeException)
        {
            return null;
        }
    }

    private static int[] Rows(Table table)
    {
        var hashes = new HashCode[table.Count];
        foreach (var array in table.ToArrays().Where(array => array.Length == table.Count))
        {
            var width = array.Length > 0 ? array.Bytes.Length / array.Length : 0;
            for (var row = 0; row < hashes.Length; row++)
            {
                hashes[row].AddBytes(array.Bytes.Span.Slice(row * width, width));
            }
        }

        return [.. hashes.Select(hash => hash.ToHashCode())];
    }
}
