namespace Poolscope.Decode.Nettrace;

/// <summary>How the reading of a .nettrace file ended.</summary>
/// <param name="Whole">The file ends as it should.</param>
/// <param name="Damage">What cannot be true and from which byte on, for a person; null: nothing. The file just ends where it
/// is neither whole nor damaged.</param>
internal readonly record struct NettraceEnd(bool Whole, string? Damage);
