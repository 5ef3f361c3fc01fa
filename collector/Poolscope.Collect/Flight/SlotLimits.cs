namespace Poolscope.Collect.Flight;

/// <summary>Says when a flight recorder's slot ends, and which of the old ones may go.</summary>
/// <param name="History">How far back a capture is to reach at least.</param>
/// <param name="MaxBytes">Of all slots together, with the tables that they would give.</param>
public sealed record SlotLimits(TimeSpan History, long MaxBytes)
{
    /// <summary>This many slots make up <see cref="History"/>: a capture reaches back by one of them more at most.</summary>
    public const int Slots = 6;

    /// <summary>A slot that is larger than this share of all ends early, or too much would go with the oldest.</summary>
    private const int ShareOfSlot = 8;

    /// <summary>What a condition asks for: as much as is wanted ahead of the incident, and the incident itself as far as it has gone
    /// when it is told of. Not more than twice of what is wanted: an item that waited for hours is not worth hours of room.</summary>
    /// <param name="before">Ahead of the incident.</param>
    /// <param name="lead">From the beginning of an incident until the condition holds.</param>
    public static SlotLimits Of(TimeSpan before, TimeSpan lead, long maxBytes) => new(before + (lead < before ? lead : before), maxBytes);

    /// <summary>What still comes while a slot is being ended.</summary>
    public long MostBytes => MaxBytes - (MaxBytes / ShareOfSlot);

    /// <param name="ageNs">Of the slot that is being recorded.</param>
    /// <param name="cost">Its size, with its tables.</param>
    public bool IsDue(long ageNs, long cost) => ageNs >= History.TotalNanoseconds / Slots || cost >= MaxBytes / ShareOfSlot;

    /// <summary>Whether the oldest slot is not needed any more.</summary>
    /// <param name="secondStartNs">Start of the slot after it.</param>
    public bool MayGo(long nowNs, long secondStartNs) => nowNs - secondStartNs >= History.TotalNanoseconds;
}
