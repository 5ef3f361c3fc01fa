using System.Globalization;

namespace Poolscope.Fuzz.Guided;

/// <summary>Inputs in the form of afl-fuzz: a folder of files whose names begin with a number.</summary>
internal static class InputFiles
{
    private const string Prefix = "id:";

    /// <summary>Writes the sound inputs into the first folder, and the dictionary into the file after it.</summary>
    public static void WriteSeeds(Arguments arguments, EdgeMap map)
    {
        var seeds = arguments.Seeds;
        using var inputs = new GuidedInputs(arguments.Format, seeds, arguments.Memory);
        foreach (var (i, input) in inputs.Sound.Index())
        {
            map.Clear();
            inputs.Miss(input);
            map.Add();
            Write(arguments.Paths[0], i, input);
        }

        File.WriteAllLines(arguments.Paths[1], Words.Of(arguments.Format, seeds));
        Console.WriteLine(map.Edges);
    }

    /// <summary>Returns the inputs in folders, oldest first; none for a missing folder.</summary>
    public static IReadOnlyList<string> In(IEnumerable<string> folders) =>
        [.. folders.Where(Directory.Exists).SelectMany(folder => Directory.GetFiles(folder, Prefix + "*").Order(StringComparer.Ordinal))];

    public static void Write(string folder, int number, byte[] input)
    {
        Directory.CreateDirectory(folder);
        File.WriteAllBytes(Path.Combine(folder, string.Create(CultureInfo.InvariantCulture, $"{Prefix}{number:000000}")), input);
    }
}
