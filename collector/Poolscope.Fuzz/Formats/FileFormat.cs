namespace Poolscope.Fuzz.Formats;

/// <summary>Where in a file of some format a mutation does more than noise.</summary>
/// <param name="Pieces">Stretches that can be left out, doubled, swapped, or put into another file: blocks, records, lines.</param>
/// <param name="Fields">Numbers: lengths, counts, times, ids.</param>
internal sealed record Layout(IReadOnlyList<Piece> Pieces, IReadOnlyList<Piece> Fields);

/// <summary>A stretch of a file, bytes.</summary>
internal readonly record struct Piece(int Offset, int Length)
{
    public int End => Offset + Length;
}

/// <summary>A format of files that a capture is made of.</summary>
/// <param name="name">As the command line and the figures name it.</param>
/// <param name="file">Where in a capture's folder such a file lies.</param>
/// <param name="layout">Finds the structure of a file that is sound; may throw on another.</param>
internal sealed class FileFormat(string name, string file, Func<byte[], Layout> layout)
{
    public string Name => name;

    public string File => file;

    /// <summary>Numbers are digits, not bytes.</summary>
    public bool IsText { get; init; }

    /// <summary>Microsoft's TraceEvent reads it, which allocates what a damaged file shows it to.</summary>
    public bool IsReadByTraceEvent { get; init; }

    /// <summary>What is done in the folder of a capture before it is decoded; null: nothing.</summary>
    public Action<string>? Prepare { get; init; }

    /// <summary>The structure of a file; of one that is damaged already, what is left of it.</summary>
    public Layout LayoutOf(byte[] bytes)
    {
        try
        {
            return layout(bytes);
        }
        catch (Exception e) when (e is ArgumentException or IndexOutOfRangeException or OverflowException)
        {
            return OtherLayouts.Words(bytes);
        }
    }
}
