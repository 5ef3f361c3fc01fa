namespace Poolscope.Service.Faults;

/// <summary>The faults of the service.</summary>
public enum Fault
{
    /// <summary>Nothing: requests await the database.</summary>
    None,

    /// <summary>Requests call the database synchronously, on a blocking socket.</summary>
    Sync,

    /// <summary>Requests block on the task of an asynchronous call.</summary>
    SyncOverAsync,

    /// <summary>Requests read a cache whose lock is held while it is refreshed from the database.</summary>
    Lock,

    /// <summary>A background timer whose callback blocks for longer than its period, so that calls pile up.</summary>
    Timer,

    /// <summary>A background thread collects a large heap, blocking, over and over.</summary>
    Gc,
}
