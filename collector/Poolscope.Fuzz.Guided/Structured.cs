namespace Poolscope.Fuzz.Guided;

/// <summary>Runs the plain fuzzer, whose mutations know the structure, over the instrumented decoder.</summary>
internal static class Structured
{
    /// <summary>Mutates an input again if it reached new edges. Starts from the inputs in all folders. Keeps new inputs in
    /// the first folder, and failing ones in the second.</summary>
    public static void Run(Arguments arguments, EdgeMap map)
    {
        var seeds = arguments.Seeds;
        using var inputs = new GuidedInputs(arguments.Format, seeds, arguments.Memory);
        var known = InputFiles.In(arguments.Paths.Where(path => path != arguments.Paths[1])).Select(File.ReadAllBytes).ToList();
        foreach (var input in known)
        {
            map.Clear();
            inputs.Miss(input);
            map.Add();
        }

        var number = InputFiles.In(arguments.Paths.Take(1)).Count;
        var result = Campaign(arguments, map, new Campaign(arguments.Format, seeds, arguments.Number("seed"))
        {
            Writes = false,
            Known = known.Select(input => (inputs.SeedOf(input), GuidedInputs.FileOf(input))),
            Keeps = (seed, file, _) =>
            {
                var isNew = map.Add();
                if (isNew)
                {
                    InputFiles.Write(arguments.Paths[0], number++, inputs.InputOf(seed, file));
                }

                return isNew;
            },
        });
        var failed = InputFiles.In(arguments.Paths.Skip(1).Take(1)).Count;
        foreach (var finding in result.Findings)
        {
            InputFiles.Write(arguments.Paths[1], failed++, inputs.InputOf(finding.Of, finding.Input));
        }
    }

    /// <summary>Runs the plain fuzzer by its own rules, to compare the edges that it reaches. Adds up the edges of several runs in a file.</summary>
    public static void RunPlain(Arguments arguments, EdgeMap map)
    {
        map.Load(arguments.Paths[0]);
        Campaign(arguments, map, new Campaign(arguments.Format, arguments.Seeds, arguments.Number("seed"))
        {
            Writes = false,
            Keeps = (_, _, isNewWay) =>
            {
                map.Add();
                return isNewWay;
            },
        });
        map.Save(arguments.Paths[0]);
    }

    /// <summary>Runs a campaign, and prints the numbers of its inputs and of the edges that they took.</summary>
    private static CampaignResult Campaign(Arguments arguments, EdgeMap map, Campaign campaign)
    {
        map.Clear();
        var result = campaign.Run(arguments.Number("inputs"), TimeSpan.FromSeconds(arguments.Number("seconds")), CancellationToken.None);
        Console.WriteLine($"{result.Inputs} {map.Edges}");
        return result;
    }
}
