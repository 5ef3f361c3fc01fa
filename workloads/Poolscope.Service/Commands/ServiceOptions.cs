using System.CommandLine;
using Poolscope.Service.Faults;
using Poolscope.Workloads.Commands;
using Poolscope.Workloads.SlowService;

namespace Poolscope.Service.Commands;

/// <summary>The settings of the service.</summary>
/// <param name="DbMs">Duration of a database query, ms.</param>
/// <param name="Spell">The time during which the database is slower; null for never.</param>
/// <param name="Https">Whether to use TLS, with a certificate that the service makes itself.</param>
/// <param name="MinThreads">The pool's minimum; null for the runtime's own.</param>
/// <param name="MaxThreads">The pool's maximum; null for the runtime's own.</param>
public sealed record ServiceSettings(FaultDescription Fault, int DbMs, SlowSpell? Spell, bool Https, int? MinThreads, int? MaxThreads);

/// <summary>The options of <see cref="ServiceSettings"/>.</summary>
internal sealed class ServiceOptions
{
    // The pool keeps its thread counts in 16 bits; this is the runtime's own upper bound.
    private const int LargestPool = 32767;
    private const int DefaultDbMs = 200;

    private readonly Option<string> _fault = new("--fault")
    {
        Description = $"What is wrong: {string.Join("; ", FaultDescription.All.Select(f => $"{f.Name} ({f.About})"))}.",
        HelpName = "fault",
        DefaultValueFactory = _ => "none",
    };

    private readonly Option<int?> _db = WholeNumber.Option(
        "--db-ms", 1, 60_000, $"Duration of a database query, in ms. Default: {DefaultDbMs}.");

    private readonly Option<string?> _spell = new("--db-spell")
    {
        Description = "The database becomes slower for a time: AFTER:FOR:TIMES, in s, s and times as slow, from its first query on. 5:5:10: after 5 s, for 5 s, 10 times.",
        HelpName = "spell",
    };

    private readonly Option<bool> _https = new("--https") { Description = "Over TLS, with a certificate that the service makes itself." };

    private readonly Option<int?> _min = WholeNumber.Option(
        "--min-threads", 1, LargestPool, "The pool's minimum of worker threads. Default: the runtime's; lock: 100.");

    private readonly Option<int?> _max = WholeNumber.Option(
        "--max-threads", 1, LargestPool, "The pool's maximum of worker threads. Default: the runtime's.");

    public ServiceOptions() => _fault.CompletionSources.Add([.. FaultDescription.Names]);

    public void AddTo(Command command)
    {
        foreach (var option in new Option[] { _fault, _db, _spell, _https, _min, _max })
        {
            command.Add(option);
        }
    }

    /// <exception cref="CommandException">The fault is unknown, the spell is malformed, or the limits
    /// cross.</exception>
    public ServiceSettings Read(ParseResult parsed)
    {
        var name = parsed.GetRequiredValue(_fault);
        var fault = FaultDescription.Find(name) ?? throw new CommandException(
            ExitCode.Usage, $"there is no fault '{name}': it is one of {string.Join(", ", FaultDescription.Names)}");
        var max = parsed.GetValue(_max);

        // A maximum that the user chose must not cross a minimum that the user did not choose.
        var min = parsed.GetValue(_min) ?? (fault.MinThreads > max ? max : fault.MinThreads);
        return min > max
            ? throw new CommandException(ExitCode.Usage, $"the minimum of {min} threads is above the maximum of {max}")
            : new ServiceSettings(fault, parsed.GetValue(_db) ?? DefaultDbMs, Spell(parsed), parsed.GetValue(_https), min, max);
    }

    private SlowSpell? Spell(ParseResult parsed) => parsed.GetValue(_spell) is not { } text
        ? null
        : SlowServerProcess.Parse(text) ?? throw new CommandException(ExitCode.Usage, $"'{text}' is no spell: --db-spell takes AFTER:FOR:TIMES, such as 5:5:10");
}
