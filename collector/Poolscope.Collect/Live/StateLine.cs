using System.Text.Json;
using System.Text.Json.Serialization;

namespace Poolscope.Collect.Live;

/// <summary>One line of `watch --json` and `top --json`, once a second. Unknown values are left out.</summary>
/// <param name="State">One of <see cref="WatchPhase"/>.</param>
/// <param name="HistoryS">The seconds that a capture would reach back now.</param>
/// <param name="Bytes">The bytes of captures and running recordings in the folder.</param>
internal sealed record StateLine(
    DateTime Time, string State, int? Pid, bool? Holds, double? WaitS, long? Queue, double? QueuedS, int? Threads,
    int? Goal, string? GoalReason, double? GoalAgeS, long? Starvations, double? Cores, double? BegunPerS, double? CompletedPerS,
    double? SilentS, long? Lost, double? HistoryS, long? Bytes, int? Captures)
{
    internal static readonly JsonSerializerOptions Json = new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    public static StateLine Of(PoolState state) => new(
        state.TimeUtc, state.Phase, state.Pid, state.Holds, state.WaitS, state.Queue, state.QueuedS, state.Threads,
        state.Goal, state.GoalReason, state.GoalAgeS, state.Starvations, state.Cores, state.BegunPerS, state.CompletedPerS,
        state.SilentS, state.Lost, state.HistoryS, state.Bytes, state.Captures);

    public string Text() => JsonSerializer.Serialize(this, Json);
}
