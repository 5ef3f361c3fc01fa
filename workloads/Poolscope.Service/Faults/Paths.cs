namespace Poolscope.Service.Faults;

/// <summary>The endpoints; every one is there whatever the fault.</summary>
public static class Paths
{
    public const string Sync = "/sync";
    public const string SyncOverAsync = "/sync-over-async";
    public const string Async = "/async";
    public const string Cached = "/cached";
    public const string Plain = "/plain";

    /// <summary>Behind each: a number that the endpoints do not look at, by which whoever sent a request finds it again.</summary>
    public const string AnyNumber = "/{number:int?}";
}
