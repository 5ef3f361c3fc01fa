using System.Globalization;
using Poolscope.Workloads.Pools;
using Poolscope.Workloads.Pools.Reference;
using Poolscope.Workloads.Pools.Reference.Growth;

namespace Poolscope.Workloads.Running;

/// <summary>A value of `--pool`.</summary>
/// <param name="Name">The text, such as `fixed:10`.</param>
/// <param name="TakesMin">Whether the pool takes a minimum of threads.</param>
/// <param name="TakesMax">Whether the pool takes a maximum.</param>
public sealed record PoolChoice(string Name, bool TakesMin, bool TakesMax, Func<IPool> Create)
{
    public const string RuntimeName = RuntimePool.RuntimeName;
    public const string FixedPrefix = "fixed:";

    // Event 59 reports limits in 16 bits, and the runtime's pool counts its threads in as many.
    private const int LargestPool = 32767;

    private static readonly PoolChoice[] Named =
    [
        new(RuntimeName, true, true, () => new RuntimePool()),
        Reference("net11", processors => new Net11Policy(processors)),
        Reference("net35", processors => new Net35Policy(processors)),
        Reference("rotor", processors => new RotorPolicy(processors)),
        Reference("instant", _ => new InstantPolicy()) with { TakesMin = false },
    ];

    /// <summary>The names of all pools, with `fixed:N` for any number.</summary>
    public static IReadOnlyList<string> Names { get; } =
        [RuntimeName, FixedPrefix + "N", .. Named.Skip(1).Select(c => c.Name)];

    /// <returns>Null if there is no such pool.</returns>
    public static PoolChoice? Parse(string text)
    {
        if (!text.StartsWith(FixedPrefix, StringComparison.Ordinal))
        {
            return Array.Find(Named, c => c.Name == text);
        }

        return int.TryParse(text.AsSpan(FixedPrefix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out var threads)
               && threads is >= 1 and <= LargestPool
            ? Reference($"{FixedPrefix}{threads}", _ => new FixedPolicy(threads)) with { TakesMin = false, TakesMax = false }
            : null;
    }

    private static PoolChoice Reference(string name, Func<int, IGrowthPolicy> policy) =>
        new(name, true, true, () => new ReferencePool(name, policy(Environment.ProcessorCount)));
}
