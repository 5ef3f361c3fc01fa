namespace Poolscope.Workloads.SlowService;

/// <summary>A time in which the server is slower than usual.</summary>
/// <param name="After">Time from the first request to the spell.</param>
/// <param name="Lasts">Length of the spell: requests that arrive in it are answered late.</param>
/// <param name="Times">Factor by which an answer takes longer.</param>
public sealed record SlowSpell(TimeSpan After, TimeSpan Lasts, int Times);
