using System.Runtime.InteropServices;

namespace Poolscope.Tables;

/// <summary>A column of numbers; enum columns are <see cref="byte"/>, flags <see cref="ushort"/>. It grows by blocks,
/// so it copies no rows and leaves no memory idle.</summary>
/// <param name="packs">Whether to pack each block once it is full. For columns of many rows that hardly change
/// afterwards; not for double.</param>
public sealed class Column<T>(string name, bool packs = false) : Column(name)
    where T : unmanaged
{
    private const int Mask = Packing.BlockRows - 1;
    private const int FirstRows = 16;

    // Late changes have an order of their own, mostly that of the rows.
    private const int MostOpened = 8;
    private const int MostClosingsPerBlock = 4;

    // A block without an array is packed.
    private readonly List<(T[]? Rows, PackedRows Packed)> _full = [];
    private T[] _last = [];
    private int _used;

    // Packed blocks that were unpacked because one of their rows changed, oldest first.
    private readonly Queue<int> _opened = [];
    private int _closings;

    public override int Count => (_full.Count << Packing.BlockShift) + _used;

    /// <summary>The value of one row. Setting it replaces the value: some facts (an item's end) are known only
    /// later.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The row does not exist.</exception>
    public T this[int row]
    {
        get
        {
            var block = Block(row);
            return block == _full.Count ? _last[row & Mask]
                : _full[block].Rows is { } rows ? rows[row & Mask]
                : Packing.At<T>(_full[block].Packed, row & Mask);
        }
        set => Writable(Block(row))[row & Mask] = value;
    }

    public void Add(T value)
    {
        if (_used == _last.Length)
        {
            Grow();
        }

        _last[_used++] = value;
    }

    /// <summary>Adds rows that all have one value.</summary>
    public void Add(T value, int rows)
    {
        while (rows > 0)
        {
            if (_used == _last.Length)
            {
                Grow();
            }

            var fitting = Math.Min(rows, _last.Length - _used);
            _last.AsSpan(_used, fitting).Fill(value);
            _used += fitting;
            rows -= fitting;
        }
    }

    /// <summary>Adds rows in order.</summary>
    public void Add(ReadOnlySpan<T> values)
    {
        while (!values.IsEmpty)
        {
            if (_used == _last.Length)
            {
                Grow();
            }

            var fitting = values[..Math.Min(values.Length, _last.Length - _used)];
            fitting.CopyTo(_last.AsSpan(_used));
            _used += fitting.Length;
            values = values[fitting.Length..];
        }
    }

    /// <summary>Removes the last row.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The column is empty.</exception>
    public void RemoveLast()
    {
        if (_used == 0)
        {
            _last = Writable(Block(Count - 1));
            _full.RemoveAt(_full.Count - 1);
            _used = Packing.BlockRows;
        }

        _used--;
    }

    /// <summary>Copies consecutive values until the span is full or the rows end.</summary>
    /// <param name="row">The first row, at most <see cref="Count"/>.</param>
    /// <returns>The number of values copied.</returns>
    public int CopyTo(int row, Span<T> values)
    {
        var copied = 0;
        while (copied < values.Length && row + copied < Count)
        {
            var (block, at) = ((row + copied) >> Packing.BlockShift, (row + copied) & Mask);
            var rows = Math.Min(RowsOf(block) - at, values.Length - copied);
            var target = values.Slice(copied, rows);
            if (block < _full.Count && _full[block].Rows is null)
            {
                Packing.Unpack(_full[block].Packed, at, target);
            }
            else
            {
                (block < _full.Count ? _full[block].Rows! : _last).AsSpan(at, rows).CopyTo(target);
            }

            copied += rows;
        }

        return copied;
    }

    public override IEnumerable<NpyArray> ToArrays()
    {
        using var bytes = new MemoryStream();
        WritePlain(bytes);
        yield return new NpyArray(Name, Npy.Descriptor<T>(), Count, bytes.ToArray());
    }

    internal override IEnumerable<NpyEntry> Entries(bool packed)
    {
        if (!packed || Count <= Packing.BlockRows || typeof(T) == typeof(double))
        {
            return [new NpyEntry(Name, Npy.Descriptor<T>(), Count, WritePlain)];
        }

        var scratch = new T[Packing.BlockRows];
        var fits = new (long Base, byte Bits)[_full.Count + (_used > 0 ? 1 : 0)];
        for (var block = 0; block < fits.Length; block++)
        {
            fits[block] = block < _full.Count && _full[block] is { Rows: null } known
                ? (known.Packed.Base, known.Packed.Bits)
                : Packing.Fit<T>(Rows(block, scratch));
        }

        return
        [
            new NpyEntry($"{Name}.rows", Npy.Descriptor<long>(), 1, stream => stream.Write(BitConverter.GetBytes((long)Count))),
            new NpyEntry($"{Name}.base", Npy.Descriptor<long>(), fits.Length, stream => Array.ForEach(fits, fit => stream.Write(BitConverter.GetBytes(fit.Base)))),
            new NpyEntry($"{Name}.bits", Npy.Descriptor<byte>(), fits.Length, stream => Array.ForEach(fits, fit => stream.WriteByte(fit.Bits))),
            new NpyEntry($"{Name}.packed", Npy.Descriptor<byte>(), fits.Select((fit, i) => (long)Packing.BytesOf(RowsOf(i), fit.Bits)).Sum(), stream => WritePacked(stream, fits)),
        ];
    }

    public override void Clear()
    {
        foreach (var (rows, packed) in _full)
        {
            if (rows is null)
            {
                FreeBlocks.Return(packed);
            }
        }

        _full.Clear();
        _full.TrimExcess();
        _opened.Clear();
        (_last, _used) = ([], 0);
    }

    private int RowsOf(int block) => block < _full.Count ? Packing.BlockRows : _used;

    private int Block(int row) => (uint)row < (uint)Count ? row >> Packing.BlockShift : throw new ArgumentOutOfRangeException(nameof(row));

    private void Grow()
    {
        if (_used < Packing.BlockRows)
        {
            Array.Resize(ref _last, Math.Max(FirstRows, 2 * _used));
            return;
        }

        if (packs)
        {
            _full.Add((null, Packing.Pack<T>(_last)));
        }
        else
        {
            _full.Add((_last, default));
            _last = new T[Packing.BlockRows];
        }

        _used = 0;
    }

    private T[] Writable(int block)
    {
        if (block == _full.Count)
        {
            return _last;
        }

        if (_full[block].Rows is { } rows)
        {
            return rows;
        }

        var unpacked = new T[Packing.BlockRows];
        Packing.Unpack<T>(_full[block].Packed, 0, unpacked);
        _full[block] = (unpacked, default);
        _opened.Enqueue(block);
        if (_opened.Count > MostOpened && _closings < MostClosingsPerBlock * _full.Count)
        {
            Close(_opened.Dequeue());
        }

        return unpacked;
    }

    /// <summary>Packs a block again that no longer changes. If changes come in random order, each would pack a block,
    /// so the column gives that up.</summary>
    private void Close(int block)
    {
        if (block < _full.Count && _full[block].Rows is { } rows)
        {
            _full[block] = (null, Packing.Pack<T>(rows));
            _closings++;
        }
    }

    private ReadOnlySpan<T> Rows(int block, T[] scratch)
    {
        if (block == _full.Count)
        {
            return _last.AsSpan(0, _used);
        }

        if (_full[block].Rows is { } rows)
        {
            return rows;
        }

        Packing.Unpack<T>(_full[block].Packed, 0, scratch);
        return scratch;
    }

    private void WritePlain(Stream stream)
    {
        var scratch = packs ? new T[Packing.BlockRows] : [];
        for (var block = 0; block <= _full.Count; block++)
        {
            stream.Write(MemoryMarshal.AsBytes(Rows(block, scratch)));
        }
    }

    private void WritePacked(Stream stream, (long Base, byte Bits)[] fits)
    {
        var scratch = new byte[Packing.BlockRows * sizeof(long)];
        for (var block = 0; block < fits.Length; block++)
        {
            if (block < _full.Count && _full[block] is { Rows: null } known)
            {
                stream.Write(known.Packed.Bytes);
                continue;
            }

            var rows = block < _full.Count ? _full[block].Rows.AsSpan() : _last.AsSpan(0, _used);
            var bytes = scratch.AsSpan(0, Packing.BytesOf(rows.Length, fits[block].Bits));
            Packing.Pack<T>(rows, fits[block].Base, fits[block].Bits, bytes);
            stream.Write(bytes);
        }
    }
}
