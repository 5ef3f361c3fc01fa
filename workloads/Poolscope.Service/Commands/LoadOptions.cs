using System.CommandLine;
using System.Globalization;
using Poolscope.Service.Load;
using Poolscope.Workloads.Commands;

namespace Poolscope.Service.Commands;

/// <summary>The settings of a load.</summary>
/// <param name="Rate">Requests a second.</param>
/// <param name="DurationS">Time during which requests are sent, s.</param>
/// <param name="DrainS">Time to wait for answers after that, s.</param>
/// <param name="Http2">Whether to use HTTP/2, without negotiation: requests share a connection.</param>
/// <param name="Log">Path of a file with a line for each request; null for none.</param>
public sealed record LoadSettings(int Rate, int DurationS, ArrivalKind Arrivals, int Seed, int DrainS, bool Http2, string? Log)
{
    /// <summary>Returns the options that give the same settings.</summary>
    public string[] ToArguments() =>
    [
        LoadOptions.Rate, Text(Rate), LoadOptions.Duration, Text(DurationS), LoadOptions.Arrivals, LoadOptions.NameOf(Arrivals),
        LoadOptions.Seed, Text(Seed), LoadOptions.Drain, Text(DrainS), .. Http2 ? [LoadOptions.Http2] : Array.Empty<string>(), .. Log is null ? Array.Empty<string>() : [LoadOptions.Log, Log],
    ];

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}

/// <summary>The options of <see cref="LoadSettings"/>.</summary>
internal sealed class LoadOptions
{
    public const string Rate = "--rate";
    public const string Duration = "--duration";
    public const string Arrivals = "--arrivals";
    public const string Seed = "--seed";
    public const string Drain = "--drain";
    public const string Http2 = "--http2";
    public const string Log = "--log";

    // Each request is kept until the report, and takes about 300 bytes.
    private const int MostRequests = 1_000_000;

    private const int DefaultRate = 60;
    private const int DefaultDurationS = 20;
    private const int DefaultDrainS = 10;

    private readonly Option<int?> _rate = WholeNumber.Option(Rate, 1, 10_000, $"Requests a second. Default: {DefaultRate}.");
    private readonly Option<int?> _duration = WholeNumber.Option(
        Duration, 1, 3600, $"For how long requests are sent, in s. Default: {DefaultDurationS}.");

    private readonly Option<string> _arrivals = new(Arrivals)
    {
        Description = "poisson (at random, as from many users) or fixed (at equal distances). Default: poisson.",
        HelpName = "kind",
        DefaultValueFactory = _ => NameOf(ArrivalKind.Poisson),
    };

    private readonly Option<int?> _seed = WholeNumber.Option(Seed, 0, int.MaxValue, "Seed of the random arrivals. Default: 1.");
    private readonly Option<int?> _drain = WholeNumber.Option(
        Drain, 0, 3600, $"How long to wait for answers after the last request, in s. Default: {DefaultDrainS}.");

    private readonly Option<bool> _http2 = new(Http2) { Description = "Over HTTP/2: requests share a connection." };

    private readonly Option<string?> _log = new(Log)
    {
        Description = "CSV file with a line for each request: its number, which ends its path, and when it was sent and answered, in ns of the monotonic clock.",
        HelpName = "file",
    };

    public LoadOptions() => _arrivals.CompletionSources.Add([.. Enum.GetValues<ArrivalKind>().Select(NameOf)]);

    public static string NameOf(ArrivalKind kind) => kind == ArrivalKind.Poisson ? "poisson" : "fixed";

    public void AddTo(Command command)
    {
        foreach (var option in new Option[] { _rate, _duration, _arrivals, _seed, _drain, _http2, _log })
        {
            command.Add(option);
        }
    }

    /// <exception cref="CommandException">The kind of arrivals is unknown, or there are too many.</exception>
    public LoadSettings Read(ParseResult parsed)
    {
        var rate = parsed.GetValue(_rate) ?? DefaultRate;
        var duration = parsed.GetValue(_duration) ?? DefaultDurationS;
        if ((long)rate * duration > MostRequests)
        {
            throw new CommandException(
                ExitCode.Usage, $"{rate} requests/s for {duration} s are more than {MostRequests} requests");
        }

        var name = parsed.GetRequiredValue(_arrivals);
        var kinds = Enum.GetValues<ArrivalKind>().Where(k => NameOf(k) == name).ToList();
        return kinds.Count == 0
            ? throw new CommandException(ExitCode.Usage, $"there are no '{name}' arrivals: they are poisson or fixed")
            : new LoadSettings(
                rate,
                duration,
                kinds[0],
                parsed.GetValue(_seed) ?? 1,
                parsed.GetValue(_drain) ?? DefaultDrainS,
                parsed.GetValue(_http2),
                parsed.GetValue(_log) is { } log ? Path.GetFullPath(log) : null);
    }
}
