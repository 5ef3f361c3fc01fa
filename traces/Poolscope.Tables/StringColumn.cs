using System.Text;

namespace Poolscope.Tables;

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
        var (utf8, offsets) = Words();
        return [.. _codes.ToArrays(), new NpyArray(Name + ".utf8", Npy.Descriptor<byte>(), utf8.Length, utf8), .. offsets.ToArrays()];
    }

    internal override IEnumerable<NpyEntry> Entries(bool packed)
    {
        var (utf8, offsets) = Words();
        return [.. _codes.Entries(packed), new NpyEntry(Name + ".utf8", Npy.Descriptor<byte>(), utf8.Length, stream => stream.Write(utf8)), .. offsets.Entries(packed: false)];
    }

    public override void Clear()
    {
        _codes.Clear();
        _codeOf.Clear();
        _dictionary.Clear();
    }

    private (byte[] Utf8, Column<long> Offsets) Words()
    {
        var offsets = new Column<long>(Name + ".offsets");
        using var utf8 = new MemoryStream();
        offsets.Add(0);
        foreach (var value in _dictionary)
        {
            utf8.Write(Encoding.UTF8.GetBytes(value));
            offsets.Add(utf8.Length);
        }

        return (utf8.ToArray(), offsets);
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
