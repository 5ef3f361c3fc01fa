using Poolscope.Decode.Nettrace.Blocks;

namespace Poolscope.Decode.Nettrace;

/// <summary>The result of reading one .nettrace file.</summary>
/// <param name="Events">Events delivered.</param>
/// <param name="FirstNs">Time of the first event; -1 if there is none.</param>
/// <param name="LastNs">Time of the last event; -1 if there is none.</param>
/// <param name="Cut">The file ends in the middle, or is damaged. Everything up to its last complete flush was
/// delivered.</param>
/// <param name="Losses">Events dropped according to the stream's sequence numbers.</param>
/// <param name="Damage">A message that names the contradiction in the file and the byte from which on nothing was used;
/// null if the file is not damaged.</param>
internal sealed record NettraceSummary(
    long Events, long FirstNs, long LastNs, bool Cut, IReadOnlyList<EventLoss> Losses, string? Damage)
{
    /// <summary>The number of dropped events.</summary>
    public long Lost => Losses.Sum(loss => loss.Count);
}
