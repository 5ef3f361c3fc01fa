namespace Poolscope.Service.Load;

/// <summary>When requests are sent.</summary>
public enum ArrivalKind
{
    /// <summary>At random, independent of each other, as from many users: exponential gaps.</summary>
    Poisson,

    /// <summary>At equal distances.</summary>
    Fixed,
}
