namespace Poolscope.Decode.Nettrace;

/// <summary>What reading one .nettrace file gave.</summary>
/// <param name="Events">Events delivered.</param>
/// <param name="Lost">Events that the stream's sequence numbers say were dropped; -1: more than can be counted.</param>
/// <param name="FirstNs">Time of the first event; -1: none.</param>
/// <param name="LastNs">Time of the last event; -1: none.</param>
/// <param name="Cut">The file ends in the middle. Everything up to its last complete flush was delivered.</param>
/// <param name="Disordered">Events that came earlier than their predecessor.</param>
internal sealed record NettraceSummary(long Events, long Lost, long FirstNs, long LastNs, bool Cut, long Disordered);
