namespace Poolscope.Tables;

/// <summary>One named array of an archive: the contents of an .npy file.</summary>
/// <param name="Name">Name inside the archive, without ".npy".</param>
/// <param name="Descriptor">NumPy's type descriptor, such as "&lt;i8".</param>
/// <param name="Length">Number of elements.</param>
/// <param name="Bytes">The elements, little-endian.</param>
public readonly record struct NpyArray(string Name, string Descriptor, int Length, ReadOnlyMemory<byte> Bytes);

/// <summary>An array of an archive that is written piece by piece.</summary>
/// <param name="Length">Number of elements.</param>
/// <param name="Write">Writes the elements, little-endian.</param>
internal readonly record struct NpyEntry(string Name, string Descriptor, long Length, Action<Stream> Write);

/// <summary>A growing column of a table.</summary>
public abstract class Column(string name)
{
    public string Name { get; } = name;

    /// <summary>Number of rows.</summary>
    public abstract int Count { get; }

    /// <summary>Returns the arrays of this column, unpacked.</summary>
    public abstract IEnumerable<NpyArray> ToArrays();

    /// <summary>Returns the arrays of this column in an archive.</summary>
    /// <param name="packed">Whether columns of integers may be packed; small ones are not.</param>
    internal abstract IEnumerable<NpyEntry> Entries(bool packed);

    /// <summary>Removes all rows.</summary>
    public abstract void Clear();
}
