namespace Poolscope.Fuzz.Guided;

/// <summary>Decodes kept inputs once more.</summary>
internal static class Judging
{
    /// <summary>Decodes the inputs in all folders and writes their tables, like the command. Prints the numbers of inputs, of edges
    /// and of failures. Reports each failure on standard error, and saves its input if requested.</summary>
    public static void Run(Arguments arguments, EdgeMap map)
    {
        using var inputs = new GuidedInputs(arguments.Format, arguments.Seeds, arguments.Memory);
        var files = InputFiles.In(arguments.Paths);
        var failed = 0;
        foreach (var file in files)
        {
            var input = File.ReadAllBytes(file);
            map.Clear();
            var missed = inputs.Miss(input);
            map.Add();
            if ((missed ?? inputs.Miss(input, writes: true)) is { } why)
            {
                Console.Error.WriteLine($"  {arguments.Format.Name}, failure {failed}: {why}");
                Save(arguments, failed++, input);
            }
        }

        Console.WriteLine($"{files.Count} {map.Edges} {failed}");
    }

    private static void Save(Arguments arguments, int number, byte[] input)
    {
        if (arguments.Save is { } folder)
        {
            Directory.CreateDirectory(folder);
            File.WriteAllBytes(Path.Combine(folder, $"{arguments.Format.Name}-guided-{number}"), GuidedInputs.FileOf(input));
        }
    }
}
