using System.Runtime.InteropServices;
using System.Text;

namespace Poolscope.Tables;

/// <summary>One named array of an archive: what an .npy file holds.</summary>
/// <param name="Name">Name inside the archive, without ".npy".</param>
/// <param name="Descriptor">NumPy's type descriptor, such as "&lt;i8".</param>
/// <param name="Length">Number of elements.</param>
/// <param name="Bytes">The elements, little-endian.</param>
public readonly record struct NpyArray(string Name, string Descriptor, int Length, ReadOnlyMemory<byte> Bytes);

/// <summary>A growing column of a table.</summary>
public abstract class Column(string name)
{
    public string Name { get; } = name;

    /// <summary>Number of rows.</summary>
    public abstract int Count { get; }

    /// <summary>The arrays that stand for this column in an archive.</summary>
    public abstract IEnumerable<NpyArray> ToArrays();
}

/// <summary>A column of numbers; enum columns are <see cref="byte"/>, flags <see cref="ushort"/>.</summary>
public sealed class Column<T>(string name) : Column(name)
    where T : unmanaged
{
    private readonly List<T> _values = [];

    public override int Count => _values.Count;

    /// <summary>The value of one row. Setting replaces it: some facts (an item's end) are known only later.</summary>
    public T this[int row]
    {
        get => _values[row];
        set => _values[row] = value;
    }

    /// <summary>All values. Valid until the next <see cref="Add"/>.</summary>
    public Span<T> Values => CollectionsMarshal.AsSpan(_values);

    public void Add(T value) => _values.Add(value);

    public override IEnumerable<NpyArray> ToArrays()
    {
        yield return new NpyArray(Name, Npy.Descriptor<T>(), Count, MemoryMarshal.AsBytes(Values).ToArray());
    }
}

/// <summary>A dictionary-encoded column of strings; null is "absent".</summary>
public sealed class StringColumn(string name) : Column(name)
{
    private readonly Column<int> _codes = new(name);
    private readonly Dictionary<string, int> _codeOf = [];
    private readonly List<string> _dictionary = [];

    public override int Count => _codes.Count;

    public string? this[int row]
    {
        get => _codes[row] < 0 ? null : _dictionary[_codes[row]];
        set => _codes[row] = Code(value);
    }

    public void Add(string? value) => _codes.Add(Code(value));

    public override IEnumerable<NpyArray> ToArrays()
    {
        var offsets = new Column<long>(Name + ".offsets");
        using var utf8 = new MemoryStream();
        offsets.Add(0);
        foreach (var value in _dictionary)
        {
            utf8.Write(Encoding.UTF8.GetBytes(value));
            offsets.Add(utf8.Length);
        }

        foreach (var array in _codes.ToArrays())
        {
            yield return array;
        }

        yield return new NpyArray(Name + ".utf8", Npy.Descriptor<byte>(), (int)utf8.Length, utf8.ToArray());
        foreach (var array in offsets.ToArrays())
        {
            yield return array;
        }
    }

    private int Code(string? value)
    {
        if (value is null)
        {
            return -1;
        }

        if (!_codeOf.TryGetValue(value, out var code))
        {
            code = _dictionary.Count;
            _dictionary.Add(value);
            _codeOf.Add(value, code);
        }

        return code;
    }
}
