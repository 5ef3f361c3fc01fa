namespace Poolscope.Workloads.SlowService;

/// <summary>A time in which the server is slower than usual.</summary>
/// <param name="After">When it begins, from the first request on.</param>
/// <param name="Lasts">How long it lasts: requests that arrive in it are answered late.</param>
/// <param name="Times">By how much longer an answer takes.</param>
public sealed record SlowSpell(TimeSpan After, TimeSpan Lasts, int Times);
