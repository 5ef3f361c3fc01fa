namespace Poolscope.Service.Faults;

/// <summary>The endpoints; every one is there whatever the fault.</summary>
public static class Paths
{
    public const string Sync = "/sync";
    public const string SyncOverAsync = "/sync-over-async";
    public const string Async = "/async";
    public const string Cached = "/cached";
}
