namespace Poolscope.Service.Load;

/// <summary>How the times of requests are chosen.</summary>
public enum ArrivalKind
{
    /// <summary>At random, independent of each other, as from many users: exponential gaps.</summary>
    Poisson,

    /// <summary>At equal intervals.</summary>
    Fixed,
}
