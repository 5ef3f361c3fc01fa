namespace Poolscope.Decode.Nettrace.Blocks;

/// <summary>Receives the parts of a .nettrace stream as they are read, each after its checks have passed.</summary>
internal interface IBlockTap
{
    /// <summary>Receives the object with which the stream begins.</summary>
    /// <param name="version">The version of the format.</param>
    /// <param name="bytes">Valid during the call.</param>
    void OnHeader(int version, ReadOnlySpan<byte> bytes);

    /// <summary>Receives a block, including metadata, in the order of the stream. Valid during the call.</summary>
    void OnBlock(NettraceBlock block);
}
