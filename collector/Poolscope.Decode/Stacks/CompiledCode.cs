namespace Poolscope.Decode.Stacks;

/// <summary>One piece of compiled code. A method compiled several times (in tiers) has several.</summary>
/// <param name="Start">Address of the first byte.</param>
/// <param name="Size">Size in bytes.</param>
/// <param name="Name">Namespace, type and method.</param>
/// <param name="Module">The runtime's id of the module.</param>
/// <param name="Token">Metadata token of the method in its module; 0x06000000, without a row, for a dynamic
/// method.</param>
/// <param name="From">Load time, CLOCK_MONOTONIC ns; <see cref="long.MinValue"/> if a rundown lists the code, so that
/// it was loaded earlier.</param>
internal sealed record CompiledCode(ulong Start, uint Size, string Name, long Module, int Token, long From)
{
    /// <summary>The map from native to IL offsets; null if not reported, as for code compiled ahead of time.</summary>
    public InstructionMap? Instructions { get; set; }

    public bool Covers(ulong address) => address - Start < Size;

    public bool IsSameAs(CompiledCode other) =>
        Start == other.Start && Size == other.Size && Token == other.Token && Module == other.Module && Name == other.Name;
}
