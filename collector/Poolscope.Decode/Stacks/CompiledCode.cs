namespace Poolscope.Decode.Stacks;

/// <summary>One piece of compiled code. A method that was compiled several times (tiers) has several.</summary>
/// <param name="Start">Address of the first byte.</param>
/// <param name="Size">Bytes.</param>
/// <param name="Name">Namespace, type and method.</param>
/// <param name="Module">The runtime's id of the module.</param>
/// <param name="Token">Metadata token of the method in its module; no row (0x06000000): a dynamic method.</param>
/// <param name="From">CLOCK_MONOTONIC ns at which it was loaded; <see cref="long.MinValue"/>: by a rundown, so some time before.</param>
internal sealed record CompiledCode(ulong Start, uint Size, string Name, long Module, int Token, long From)
{
    /// <summary>From native to IL offsets; null: not reported, as for code compiled ahead of time.</summary>
    public InstructionMap? Instructions { get; set; }

    public bool Covers(ulong address) => address - Start < Size;

    public bool IsSameAs(CompiledCode other) =>
        Start == other.Start && Size == other.Size && Token == other.Token && Module == other.Module && Name == other.Name;
}
