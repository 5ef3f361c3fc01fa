using System.Text.Json;

namespace Poolscope.Collect.Live;

/// <summary>A line of `watch --json` about one event, such as a firing or a capture.</summary>
/// <param name="Event">One of the constants below.</param>
internal sealed record EventLine(
    DateTime Time, string Event, int? Pid = null, string? Term = null, double? HistoryS = null, string? Capture = null, string? Message = null)
{
    public const string Fired = "fired";
    public const string Captured = "captured";
    public const string Failed = "failed";
    public const string Warning = "warning";

    /// <summary>The counts that the event adds.</summary>
    internal Tally Tally => new(Count(Fired), Count(Captured), Count(Failed), Count(Warning));

    public string Text() => JsonSerializer.Serialize(this, StateLine.Json);

    private long Count(string kind) => Event == kind ? 1 : 0;
}
