using Poolscope.Decode.Nettrace.Blocks;

namespace Poolscope.Decode.Nettrace;

/// <summary>What reading one .nettrace file gave.</summary>
/// <param name="Events">Events delivered.</param>
/// <param name="FirstNs">Time of the first event; -1: none.</param>
/// <param name="LastNs">Time of the last event; -1: none.</param>
/// <param name="Cut">The file ends in the middle, or is damaged. Everything up to its last complete flush was delivered.</param>
/// <param name="Losses">Events that the stream's sequence numbers say were dropped.</param>
/// <param name="Damage">What of the file cannot be true, and from which byte on nothing was taken, for a person; null: it is not
/// damaged.</param>
internal sealed record NettraceSummary(
    long Events, long FirstNs, long LastNs, bool Cut, IReadOnlyList<EventLoss> Losses, string? Damage)
{
    /// <summary>Events that were dropped.</summary>
    public long Lost => Losses.Sum(loss => loss.Count);
}
