using System.CommandLine;
using Poolscope.Workloads.Experiments;
using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Commands;

/// <summary>`list`: names the workloads.</summary>
internal static class ListCommand
{
    public const string Name = "list";

    public static readonly string[] Examples = ["poolscope-workloads list", "poolscope-workloads list --json"];

    public static Command Create()
    {
        var json = new Option<bool>("--json") { Description = "Machine-readable, with sources, sizes and expected verdicts." };
        var command = new Command(Name, "Names every workload.") { json };
        command.SetAction(parsed =>
        {
            var output = parsed.InvocationConfiguration.Output;
            if (parsed.GetValue(json))
            {
                Json.Write(output, Registry.All.Select(Entry.Of));
            }
            else
            {
                Write(output);
            }

            return ExitCode.Ok;
        });
        return command;
    }

    private static void Write(TextWriter output)
    {
        var width = Registry.All.Max(w => w.Description.Id.Length);
        var indent = new string(' ', width + 2);
        foreach (var workload in Registry.All)
        {
            var about = workload.Description;
            output.WriteLine($"{about.Id.PadRight(width)}  {about.Title}");
            output.WriteLine($"{indent}runs {SizeText.Of(workload.Defaults(full: false))}");
            if (workload.Defaults(full: true) != workload.Defaults(full: false))
            {
                output.WriteLine($"{indent}--full {SizeText.Of(workload.Defaults(full: true))}");
            }

            if (about.Published is not null)
            {
                output.WriteLine($"{indent}published: {about.Published} ({about.Source})");
            }

            foreach (var (leg, number) in about.Legs.Select((leg, i) => (leg, i + 1)))
            {
                output.WriteLine($"{indent}--leg {number}: {leg}");
            }

            output.WriteLine($"{indent}expected: {string.Join("; ", about.Expected)}");
        }

        output.WriteLine();
        output.WriteLine($"each on any pool: --pool {string.Join('|', PoolChoice.Names)}");
    }

    /// <summary>One element of `list --json`.</summary>
    private sealed record Entry(
        string Id,
        string Title,
        string? Published,
        string? Source,
        IReadOnlyList<ExpectedVerdict> Expected,
        RunSettings Defaults,
        RunSettings Full,
        IEnumerable<string> Clients,
        IEnumerable<string> Guards,
        IReadOnlyList<string> Legs,
        IEnumerable<string> Pools)
    {
        public static Entry Of(IWorkload workload)
        {
            var about = workload.Description;
            return new Entry(
                about.Id, about.Title, about.Published, about.Source, about.Expected,
                workload.Defaults(full: false), workload.Defaults(full: true),
                about.Knobs.HasFlag(Knobs.Client) ? ClientKinds.Names : [],
                about.Knobs.HasFlag(Knobs.Guard) ? GuardKinds.Names : [],
                about.Legs,
                PoolChoice.Names);
        }
    }
}
