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

    /// <summary>The loopback port of the server.</summary>
    public int Port { get; }

    public int ProcessId => _program.ProcessId;

    /// <summary>The option that makes the server slower for a time: after this many s, for this many s, by this
    /// factor.</summary>
    public const string SpellOption = "--spell";

    /// <param name="delay">Time from a request's arrival to its answer.</param>
    /// <param name="spell">The time in which that takes longer; null for none.</param>
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

    /// <summary>Parses a value of <see cref="SpellOption"/>; null if the text is not one.</summary>
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
