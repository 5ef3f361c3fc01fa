namespace Poolscope.Service.Load;

/// <summary>How a request ended.</summary>
public enum Outcome
{
    /// <summary>No answer by the end of the drain: the request was given up.</summary>
    Unanswered,

    /// <summary>An answer with a status of 200 to 299.</summary>
    Ok,

    /// <summary>Another status, or no connection.</summary>
    Error,
}

/// <summary>One request. All times are from the start of the run.</summary>
/// <param name="Intended">Time at which it was meant to be sent.</param>
/// <param name="Sent">Time at which the generator sent it.</param>
/// <param name="Ended">Time at which the whole answer had arrived, or at which it failed or was given up.</param>
public readonly record struct Request(TimeSpan Intended, TimeSpan Sent, TimeSpan Ended, Outcome Outcome)
{
    /// <summary>The latency from the intended time, not from the sending. Otherwise a stall of the service that keeps
    /// the generator from sending would be missing from the very figures that it worsens (coordinated
    /// omission).</summary>
    public TimeSpan Latency => Ended - Intended;

    /// <summary>The delay of the generator itself.</summary>
    public TimeSpan SendLag => Sent - Intended;
}
