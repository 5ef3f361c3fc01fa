namespace Poolscope.Service.Faults;

/// <summary>The endpoints. All of them exist, whatever the fault.</summary>
public static class Paths
{
    public const string Sync = "/sync";
    public const string SyncOverAsync = "/sync-over-async";
    public const string Async = "/async";
    public const string Cached = "/cached";
    public const string Plain = "/plain";

    /// <summary>The end of each path: a number that the endpoints ignore, by which the sender identifies a
    /// request.</summary>
    public const string AnyNumber = "/{number:int?}";
}
