using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Poolscope.Tables;

namespace Poolscope.Decode.Growing;

/// <summary>A table with one row per item of the capture, whose values become known over time. The latest rows, which
/// receive nearly all changes, are stored row by row; earlier rows are moved to the columns.</summary>
/// <typeparam name="TRow">The fields of a row, in sequence; each stands for one column or none.</typeparam>
/// <param name="name">The name of the table in the schema.</param>
internal sealed class SettlingTable<TRow>(string name)
    where TRow : unmanaged
{
    private const int Kept = 1 << 12; // a power of two
    private const int Mask = Kept - 1;

    private readonly Table _table = Table.Create(name, packs: true);
    private readonly TRow[] _latest = new TRow[Kept];
    private readonly List<ISettling> _columns = [];

    /// <summary>The number of rows.</summary>
    public int Count { get; private set; }

    /// <summary>The index of the first row that is not in the columns yet.</summary>
    public int Settled { get; private set; }

    /// <param name="field">The name of the field that holds the value.</param>
    public SettlingColumn<TRow, int> Int32(string column, string field) => Add(_table.Int32(column), field);

    public SettlingColumn<TRow, long> Int64(string column, string field) => Add(_table.Int64(column), field);

    public SettlingColumn<TRow, byte> Enum(string column, string field) => Add(_table.Enum(column), field);

    public SettlingColumn<TRow, ushort> Flags(string column, string field) => Add(_table.Flags(column), field);

    /// <summary>Adds a column that is in no table.</summary>
    public SettlingColumn<TRow, T> Add<T>(Column<T> column, string field)
        where T : unmanaged
    {
        var settling = new SettlingColumn<TRow, T>(this, column, (int)Marshal.OffsetOf<TRow>(field));
        _columns.Add(settling);
        return settling;
    }

    /// <returns>The index of the row.</returns>
    public int Add(in TRow row)
    {
        if (Count - Settled == Kept)
        {
            SettleUpTo(Count - (Kept / 2));
        }

        _latest[Count & Mask] = row;
        return Count++;
    }

    /// <summary>Returns the rows as they are now. Rows added or changed later need another call.</summary>
    public Table ToTable()
    {
        SettleUpTo(Count);
        return _table;
    }

    /// <summary>Returns a field of a row that has not settled.</summary>
    /// <param name="offset">The offset of the field in the row, bytes.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref T Latest<T>(int row, int offset)
        where T : unmanaged =>
        ref Unsafe.As<byte, T>(ref Unsafe.AddByteOffset(ref Unsafe.As<TRow, byte>(ref _latest[row & Mask]), offset));

    private void SettleUpTo(int end)
    {
        foreach (var column in _columns)
        {
            column.Settle(Settled, end);
        }

        Settled = end;
    }
}
