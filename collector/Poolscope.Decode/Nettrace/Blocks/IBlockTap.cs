namespace Poolscope.Decode.Nettrace.Blocks;

/// <summary>Gets the parts of a .nettrace stream as they are read, each after it was found sound.</summary>
internal interface IBlockTap
{
    /// <summary>The object that the stream begins with.</summary>
    /// <param name="version">Of the format.</param>
    /// <param name="bytes">Valid during the call.</param>
    void OnHeader(int version, ReadOnlySpan<byte> bytes);

    /// <summary>A block, metadata too, in the order of the stream. Valid during the call.</summary>
    void OnBlock(NettraceBlock block);
}
