using System.Globalization;
using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.SlowService;

/// <summary>The slow server in a process of its own.</summary>
public sealed class SlowServerProcess : IDisposable
{
    /// <summary>The hidden verb that starts the server.</summary>
    public const string Verb = "serve";

    private readonly OwnProgram _program;

    private SlowServerProcess(OwnProgram program, int port)
    {
        _program = program;
        Port = port;
    }

    /// <summary>The loopback port that it listens on.</summary>
    public int Port { get; }

    public int ProcessId => _program.ProcessId;

    /// <summary>The option that makes it slower for a time: after this many s, for this many s, this many times.</summary>
    public const string SpellOption = "--spell";

    /// <param name="delay">From a request's arrival to its answer.</param>
    /// <param name="spell">When that takes longer; null: never.</param>
    /// <exception cref="WorkloadFailedException">The server did not start.</exception>
    public static SlowServerProcess Start(TimeSpan delay, SlowSpell? spell = null)
    {
        string[] arguments = ["--work-ms", delay.TotalMilliseconds.ToString(CultureInfo.InvariantCulture)];
        var program = OwnProgram.Start("the slow service", [Verb, .. arguments, .. spell is null ? Array.Empty<string>() : [SpellOption, Text(spell)]]);
        if (int.TryParse(program.FirstLine, NumberStyles.None, CultureInfo.InvariantCulture, out var port))
        {
            return new SlowServerProcess(program, port);
        }

        program.Dispose();
        throw new WorkloadFailedException("the slow service started, but named no port");
    }

    /// <summary>What <see cref="SpellOption"/> takes; null: the text is none.</summary>
    public static SlowSpell? Parse(string text) =>
        text.Split(':') is [var after, var lasts, var times] && Seconds(after) is { } begins && Seconds(lasts) is { } length
            && int.TryParse(times, NumberStyles.None, CultureInfo.InvariantCulture, out var factor) && factor > 0
            ? new SlowSpell(begins, length, factor)
            : null;

    private static string Text(SlowSpell spell) => string.Create(
        CultureInfo.InvariantCulture, $"{spell.After.TotalSeconds}:{spell.Lasts.TotalSeconds}:{spell.Times}");

    private static TimeSpan? Seconds(string text) =>
        double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var seconds) && seconds is >= 0 and < 1e6
            ? TimeSpan.FromSeconds(seconds)
            : null;

    public void Dispose() => _program.Dispose();
}
