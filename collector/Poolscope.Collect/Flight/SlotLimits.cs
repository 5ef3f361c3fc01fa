namespace Poolscope.Collect.Flight;

/// <summary>Decides when a flight recorder's slot ends, and which of the old ones may be deleted.</summary>
/// <param name="History">The least time that a capture reaches back.</param>
/// <param name="MaxBytes">The limit of all slots together, with the tables that they would give.</param>
public sealed record SlotLimits(TimeSpan History, long MaxBytes)
{
    /// <summary>The number of slots in <see cref="History"/>. A capture reaches back at most one more.</summary>
    public const int Slots = 6;

    /// <summary>A slot that exceeds one part in this many of the limit ends early. Otherwise too much would be deleted
    /// with the oldest.</summary>
    private const int ShareOfSlot = 8;

    /// <summary>Returns the limits for a condition: the time wanted before the incident, plus the length of the
    /// incident when the condition holds. The sum is at most twice the time wanted: an item that waited for hours is
    /// not worth hours of space.</summary>
    /// <param name="before">The time wanted before the incident.</param>
    /// <param name="lead">The time from the beginning of an incident until the condition holds.</param>
    public static SlotLimits Of(TimeSpan before, TimeSpan lead, long maxBytes) => new(before + (lead < before ? lead : before), maxBytes);

    /// <summary>The limit, less the room for events that arrive while a slot ends.</summary>
    public long MostBytes => MaxBytes - (MaxBytes / ShareOfSlot);

    /// <param name="ageNs">The age of the current slot, in ns.</param>
    /// <param name="cost">The size of the current slot with its tables, in bytes.</param>
    public bool IsDue(long ageNs, long cost) => ageNs >= History.TotalNanoseconds / Slots || cost >= MaxBytes / ShareOfSlot;

    /// <summary>Returns whether the oldest slot is no longer needed.</summary>
    /// <param name="secondStartNs">The start of the slot after it.</param>
    public bool MayGo(long nowNs, long secondStartNs) => nowNs - secondStartNs >= History.TotalNanoseconds;
}
