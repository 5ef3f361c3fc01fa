namespace Poolscope.Workloads.Running;

/// <summary>The kind of guard that the items of a convoy queue for.</summary>
public enum GuardKind
{
    /// <summary>A System.Threading.Lock.</summary>
    Lock,

    /// <summary>A monitor: the lock statement on an object.</summary>
    Monitor,

    /// <summary>SemaphoreSlim.Wait on a semaphore of one.</summary>
    Semaphore,
}

/// <summary>The names of guards on the command line.</summary>
public static class GuardKinds
{
    private static readonly (string Name, GuardKind Kind)[] All =
    [
        ("lock", GuardKind.Lock),
        ("monitor", GuardKind.Monitor),
        ("semaphore", GuardKind.Semaphore),
    ];

    public static IEnumerable<string> Names => All.Select(g => g.Name);

    public static string Name(this GuardKind kind) => All.First(g => g.Kind == kind).Name;

    /// <returns>Null if no guard has this name.</returns>
    public static GuardKind? Parse(string name) =>
        All.Where(g => g.Name == name).Select(g => (GuardKind?)g.Kind).FirstOrDefault();
}
