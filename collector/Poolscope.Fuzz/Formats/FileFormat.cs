namespace Poolscope.Fuzz.Formats;

/// <summary>The places in a file where a mutation does more than noise.</summary>
/// <param name="Pieces">Ranges that can be left out, doubled, swapped, or put into another file: blocks, records,
/// lines.</param>
/// <param name="Fields">Numbers: lengths, counts, times, ids.</param>
internal sealed record Layout(IReadOnlyList<Piece> Pieces, IReadOnlyList<Piece> Fields);

/// <summary>A range of a file, bytes.</summary>
internal readonly record struct Piece(int Offset, int Length)
{
    public int End => Offset + Length;
}

/// <summary>A format of the files in a capture.</summary>
/// <param name="name">The name on the command line and in the figures.</param>
/// <param name="file">Path of such a file in a capture's folder.</param>
/// <param name="layout">Finds the structure of a sound file; may throw on others.</param>
internal sealed class FileFormat(string name, string file, Func<byte[], Layout> layout)
{
    public string Name => name;

    public string File => file;

    /// <summary>Whether numbers are digits, not bytes.</summary>
    public bool IsText { get; init; }

    /// <summary>Whether Microsoft's TraceEvent reads it, which allocates whatever sizes a damaged file
    /// states.</summary>
    public bool IsReadByTraceEvent { get; init; }

    /// <summary>Prepares the folder of a capture before it is decoded; null: nothing to do.</summary>
    public Action<string>? Prepare { get; init; }

    /// <summary>Returns the structure of a file, or its words if damage hides the structure.</summary>
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
