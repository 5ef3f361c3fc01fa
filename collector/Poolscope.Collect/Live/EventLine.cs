using System.Text.Json;

namespace Poolscope.Collect.Live;

/// <summary>A line of `watch --json` when something happens.</summary>
/// <param name="Event">One of the constants.</param>
internal sealed record EventLine(
    DateTime Time, string Event, int? Pid = null, string? Term = null, double? HistoryS = null, string? Capture = null, string? Message = null)
{
    public const string Fired = "fired";
    public const string Captured = "captured";
    public const string Failed = "failed";
    public const string Warning = "warning";

    /// <summary>What it adds to the counts.</summary>
    internal Tally Tally => new(Count(Fired), Count(Captured), Count(Failed), Count(Warning));

    public string Text() => JsonSerializer.Serialize(this, StateLine.Json);

    private long Count(string kind) => Event == kind ? 1 : 0;
}
