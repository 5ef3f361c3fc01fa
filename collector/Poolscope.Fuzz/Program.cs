using Poolscope.Fuzz.Corpus;
using Poolscope.Fuzz.Dumps;
using Poolscope.Fuzz.Formats;
using Poolscope.Look.Memory;

namespace Poolscope.Fuzz;

internal static class Program
{
    private const int Failed = 1;
    private const int Usage = 2;

    private static int Main(string[] arguments)
    {
        if (arguments is [DumpTarget.Verb])
        {
            return DumpTarget.Run();
        }

        if (arguments is [DumpWorker.Verb, .. var rest])
        {
            return DumpWorker.Run(rest);
        }

        if (arguments is [LookChild.Verb, .. var asked])
        {
            return LookChild.Run(asked, Console.OpenStandardOutput());
        }

        if (Options.Parse(arguments) is not { } options || !Directory.Exists(options.Golden))
        {
            Console.Error.WriteLine(Options.Usage);
            return Usage;
        }

        if (options.Format == DumpCampaign.Format)
        {
            return DumpCampaign.Run(options) == 0 ? 0 : Failed;
        }

        var formats = FileFormats.All.Where(format => options.Format is null || format.Name == options.Format).ToList();
        if (formats.Count == 0)
        {
            Console.Error.WriteLine($"no format {options.Format}; there are: {string.Join(' ', FileFormats.All.Select(format => format.Name))} {DumpCampaign.Format}");
            return Usage;
        }

        return formats.Select(format => options.EveryByte ? EveryByte.Run(format, options.Golden) : Run(format, options)).Sum() == 0 ? 0 : Failed;
    }

    /// <returns>Number of findings.</returns>
    private static int Run(FileFormat format, Options options)
    {
        var campaign = new Campaign(format, Seeds.Of(format, options.Golden), options.Seed);
        using var done = new CancellationTokenSource();
        var watch = Task.Run(() => Watch(format, campaign, options, done.Token), CancellationToken.None);
        var result = campaign.Run(options.Inputs, TimeSpan.FromMinutes(options.Minutes), CancellationToken.None);
        done.Cancel();
        watch.Wait();
        Console.WriteLine(
            $"{result.Format,-13} {result.Inputs,7} inputs {result.Time.TotalSeconds,6:0.0} s  {result.Ways,4} ways  most allocated {result.MostAllocated / 1048576.0,6:0.0} MiB"
            + $"  above {Limits.FixedBytes >> 20} MiB at most {result.MostPerByte:0} x  slowest {result.Slowest.TotalMilliseconds,6:0} ms  {result.Findings.Count} findings");
        foreach (var finding in result.Findings)
        {
            Console.WriteLine($"  input {finding.Number}: {finding.What}");
            Save(options, format, finding.Number, finding.Input);
        }

        return result.Findings.Count;
    }

    /// <summary>Ends the program if the decoding of one input does not end.</summary>
    private static void Watch(FileFormat format, Campaign campaign, Options options, CancellationToken done)
    {
        var (number, since) = (-1, DateTime.UtcNow);
        while (!done.WaitHandle.WaitOne(TimeSpan.FromSeconds(1)))
        {
            if (campaign.Number != number)
            {
                (number, since) = (campaign.Number, DateTime.UtcNow);
            }
            else if (DateTime.UtcNow - since > 3 * Limits.Time)
            {
                Console.WriteLine($"{format.Name}: input {number} of seed {options.Seed} does not end");
                Save(options, format, number, campaign.Input);
                Environment.Exit(Failed);
            }
        }
    }

    private static void Save(Options options, FileFormat format, int number, byte[] input)
    {
        if (options.Save is { } folder)
        {
            Directory.CreateDirectory(folder);
            File.WriteAllBytes(Path.Combine(folder, $"{format.Name}-{options.Seed}-{number}"), input);
        }
    }
}
