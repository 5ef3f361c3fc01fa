namespace Poolscope.Decode.Import;

/// <summary>A process of a file that holds several.</summary>
/// <param name="id">The process id outside containers, as one-collect reports it.</param>
internal sealed class TraceProcess(int id)
{
    public int Id => id;

    /// <summary>The kernel's name of the process, up to 15 characters; empty if not reported.</summary>
    public string Name { get; set; } = "";

    /// <summary>The number of events of .NET's pool: work items, workers, the goal.</summary>
    public long PoolEvents { get; set; }

    /// <summary>The number of events of .NET of any kind.</summary>
    public long RuntimeEvents { get; set; }

    public override string ToString() => $"{id} ({(Name.Length > 0 ? Name : "no name")}, {PoolEvents} pool events)";
}
