namespace Poolscope.Collect.Watching;

/// <summary>Says when a flight recorder's slot ends, and which of the old ones may go.</summary>
/// <param name="Before">How far back a capture is to reach at least.</param>
/// <param name="MaxBytes">Of all slots together, with the tables that they would give.</param>
public sealed record SlotLimits(TimeSpan Before, long MaxBytes)
{
    /// <summary>So many slots make up <see cref="Before"/>: a capture reaches back by one of them more at most.</summary>
    public const int Slots = 6;

    /// <summary>A slot that is larger than this share of all ends early, or too much would go with the oldest.</summary>
    private const int ShareOfSlot = 8;

    /// <summary>What still comes while a slot is being ended.</summary>
    public long MostBytes => MaxBytes - (MaxBytes / ShareOfSlot);

    /// <param name="ageNs">Of the slot that is being recorded.</param>
    /// <param name="cost">Its size, with its tables.</param>
    public bool IsDue(long ageNs, long cost) => ageNs >= Before.TotalNanoseconds / Slots || cost >= MaxBytes / ShareOfSlot;

    /// <summary>Whether the oldest slot is not needed any more.</summary>
    /// <param name="secondStartNs">Start of the slot after it.</param>
    public bool MayGo(long nowNs, long secondStartNs) => nowNs - secondStartNs >= Before.TotalNanoseconds;
}
