namespace Poolscope.Decode.Import;

/// <summary>A process of a file that holds several.</summary>
/// <param name="id">Outside of containers, as one-collect knows it.</param>
internal sealed class TraceProcess(int id)
{
    public int Id => id;

    /// <summary>As the kernel names it, up to 15 characters; empty: not reported.</summary>
    public string Name { get; set; } = "";

    /// <summary>Events of .NET's pool: work items, workers, the goal.</summary>
    public long PoolEvents { get; set; }

    /// <summary>Events of .NET of any kind.</summary>
    public long RuntimeEvents { get; set; }

    public override string ToString() => $"{id} ({(Name.Length > 0 ? Name : "no name")}, {PoolEvents} pool events)";
}
