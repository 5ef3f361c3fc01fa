namespace Poolscope.Service.Load;

/// <summary>How a request ended.</summary>
public enum Outcome
{
    /// <summary>It was given up: no answer until the end of the drain.</summary>
    Unanswered,

    /// <summary>An answer with a status of 200 to 299.</summary>
    Ok,

    /// <summary>Another status, or no connection.</summary>
    Error,
}

/// <summary>One request; all times from the start of the run.</summary>
/// <param name="Intended">When it was meant to be sent.</param>
/// <param name="Sent">When the generator came to send it.</param>
/// <param name="Ended">When the whole answer was here, or when it failed or was given up.</param>
public readonly record struct Request(TimeSpan Intended, TimeSpan Sent, TimeSpan Ended, Outcome Outcome)
{
    /// <summary>From the intended time, not from the sending: a stall of the service that keeps the generator from sending
    /// would else be left out of the very figures that it worsens (coordinated omission).</summary>
    public TimeSpan Latency => Ended - Intended;

    /// <summary>How late the generator itself was.</summary>
    public TimeSpan SendLag => Sent - Intended;
}
