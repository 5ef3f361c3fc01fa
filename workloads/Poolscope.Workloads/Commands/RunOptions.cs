using System.CommandLine;
using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Commands;

/// <summary>The options of `run` that set the size of a run and the pool that it uses.</summary>
internal sealed class RunOptions
{
    // The pool keeps its thread counts in 16 bits; this is the runtime's own upper bound.
    private const int LargestPool = 32767;
    private const int MostItems = 10_000_000;
    private const int LongestTimeMs = 3_600_000;
    private const int HighestRate = 1_000_000;

    private readonly Option<int?> _count = WholeNumber.Option("--count", 1, MostItems, "Items to queue.");
    private readonly Option<int?> _interval = WholeNumber.Option("--interval-ms", 0, LongestTimeMs, "From one item to the next, in ms; 0: all at once.");
    private readonly Option<int?> _work = WholeNumber.Option("--work-ms", 0, LongestTimeMs, "Duration of an item, in ms (of the run, for a workload that runs for a time).");
    private readonly Option<int?> _min = WholeNumber.Option("--min-threads", 1, LargestPool, "The pool's minimum of worker threads.");
    private readonly Option<int?> _max = WholeNumber.Option("--max-threads", 1, LargestPool, "The pool's maximum of worker threads.");
    private readonly Option<int?> _rate = WholeNumber.Option("--rate", 1, HighestRate, "paced only: items a second.");
    private readonly Option<string?> _client = new("--client")
    {
        Description = $"ticket only: how an item calls the service: {string.Join(", ", ClientKinds.Names)}.",
        HelpName = "client",
    };

    private readonly Option<string?> _guard = new("--guard")
    {
        Description = $"lock-convoy only: what items queue for: {string.Join(", ", GuardKinds.Names)}.",
        HelpName = "guard",
    };

    private readonly Option<int?> _leg = WholeNumber.Option("--leg", 1, 9, "Which variant of the experiment: `list` names them.");
    private readonly Option<string?> _pool = new("--pool")
    {
        Description = $"The pool to run on: {string.Join(", ", PoolChoice.Names)}. Default: the workload's own, mostly runtime.",
        HelpName = "pool",
    };

    private readonly Option<bool> _full = new("--full") { Description = "The published size instead of the scaled one." };

    public RunOptions()
    {
        _client.CompletionSources.Add([.. ClientKinds.Names]);
        _guard.CompletionSources.Add([.. GuardKinds.Names]);
        _pool.CompletionSources.Add([.. PoolChoice.Names]);
    }

    public void AddTo(Command command)
    {
        foreach (var option in new Option[] { _count, _interval, _work, _min, _max, _pool, _leg, _rate, _full, _client, _guard })
        {
            command.Add(option);
        }
    }

    /// <summary>Returns the pool that the user chose, or else the workload's own.</summary>
    /// <exception cref="CommandException">The pool does not exist.</exception>
    public PoolChoice Pool(ParseResult parsed, IWorkload workload)
    {
        var name = parsed.GetValue(_pool) ?? workload.DefaultPool;
        return PoolChoice.Parse(name) ?? throw new CommandException(
            ExitCode.Usage, $"there is no pool '{name}': it is one of {string.Join(", ", PoolChoice.Names)} (N from 1 to {LargestPool})");
    }

    /// <summary>Returns the workload's defaults with the given options in their place, without the limits that the pool
    /// does not take.</summary>
    /// <exception cref="CommandException">An option means nothing to this workload or pool, or the limits
    /// cross.</exception>
    public RunSettings Apply(ParseResult parsed, IWorkload workload, PoolChoice pool)
    {
        RefuseMeaningless(parsed, workload.Description);
        RefuseLimits(parsed, pool);
        var defaults = workload.Defaults(parsed.GetValue(_full));
        if (Leg(parsed, workload.Description) is { } leg)
        {
            defaults = workload.ForLeg(defaults, leg);
        }

        defaults = defaults with
        {
            MinThreads = pool.TakesMin ? defaults.MinThreads : null,
            // A workload that requests the runtime's largest pool wants no maximum of its own, so another pool's
            // maximum holds.
            MaxThreads = !pool.TakesMax || (pool.Name != PoolChoice.RuntimeName && defaults.MaxThreads == LargestPool) ? null : defaults.MaxThreads,
        };
        var settings = defaults with
        {
            Count = parsed.GetValue(_count) ?? defaults.Count,
            IntervalMs = parsed.GetValue(_interval) ?? defaults.IntervalMs,
            WorkMs = parsed.GetValue(_work) ?? defaults.WorkMs,
            MinThreads = parsed.GetValue(_min) ?? defaults.MinThreads,
            MaxThreads = parsed.GetValue(_max) ?? defaults.MaxThreads,
            Client = Client(parsed) ?? defaults.Client,
            Guard = Guard(parsed) ?? defaults.Guard,
            Rate = parsed.GetValue(_rate) ?? defaults.Rate,
        };
        return settings.MinThreads > settings.MaxThreads
            ? throw new CommandException(
                ExitCode.Usage, $"the minimum of {settings.MinThreads} threads is above the maximum of {settings.MaxThreads}")
            : settings;
    }

    private void RefuseMeaningless(ParseResult parsed, WorkloadDescription about)
    {
        (Option Option, Knobs Knob)[] knobs =
        [
            (_count, Knobs.Count), (_interval, Knobs.Interval), (_work, Knobs.Work),
            (_min, Knobs.MinThreads), (_max, Knobs.MaxThreads), (_client, Knobs.Client), (_guard, Knobs.Guard), (_leg, Knobs.Leg), (_rate, Knobs.Rate),
        ];
        foreach (var (option, knob) in knobs)
        {
            if (parsed.GetResult(option) is { Implicit: false } && !about.Knobs.HasFlag(knob))
            {
                throw new CommandException(ExitCode.Usage, $"{option.Name} means nothing to {about.Id}");
            }
        }
    }

    private int? Leg(ParseResult parsed, WorkloadDescription about)
    {
        var leg = parsed.GetValue(_leg);
        return leg <= about.Legs.Count || leg is null ? leg : throw new CommandException(
            ExitCode.Usage, $"{about.Id} has {about.Legs.Count} legs, not {leg}");
    }

    private void RefuseLimits(ParseResult parsed, PoolChoice pool)
    {
        foreach (var (option, taken) in new (Option, bool)[] { (_min, pool.TakesMin), (_max, pool.TakesMax) })
        {
            if (!taken && parsed.GetResult(option) is { Implicit: false })
            {
                throw new CommandException(ExitCode.Usage, $"{option.Name} means nothing to the pool {pool.Name}");
            }
        }
    }

    private ClientKind? Client(ParseResult parsed)
    {
        var name = parsed.GetValue(_client);
        return name is null ? null : ClientKinds.Parse(name) ?? throw new CommandException(
            ExitCode.Usage, $"there is no client '{name}': it is one of {string.Join(", ", ClientKinds.Names)}");
    }

    private GuardKind? Guard(ParseResult parsed)
    {
        var name = parsed.GetValue(_guard);
        return name is null ? null : GuardKinds.Parse(name) ?? throw new CommandException(
            ExitCode.Usage, $"there is no guard '{name}': it is one of {string.Join(", ", GuardKinds.Names)}");
    }
}
