using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Poolscope.Tables;

namespace Poolscope.Decode.Growing;

/// <summary>A table of as many rows as the capture has items, each of which becomes known bit by bit. The latest rows, which
/// nearly all changes are about, are kept together, a row beside its next; what is behind them goes into the columns.</summary>
/// <typeparam name="TRow">The fields of a row, in sequence; each stands for a column, or for none.</typeparam>
/// <param name="name">As the schema calls it.</param>
internal sealed class SettlingTable<TRow>(string name)
    where TRow : unmanaged
{
    private const int Kept = 1 << 12; // a power of two
    private const int Mask = Kept - 1;

    private readonly Table _table = Table.Create(name, packs: true);
    private readonly TRow[] _latest = new TRow[Kept];
    private readonly List<ISettling> _columns = [];

    /// <summary>Number of rows.</summary>
    public int Count { get; private set; }

    /// <summary>Rows before this one are in the columns.</summary>
    public int Settled { get; private set; }

    /// <param name="field">Name of the field that holds the value.</param>
    public SettlingColumn<TRow, int> Int32(string column, string field) => Add(_table.Int32(column), field);

    public SettlingColumn<TRow, long> Int64(string column, string field) => Add(_table.Int64(column), field);

    public SettlingColumn<TRow, byte> Enum(string column, string field) => Add(_table.Enum(column), field);

    public SettlingColumn<TRow, ushort> Flags(string column, string field) => Add(_table.Flags(column), field);

    /// <summary>A column that is in no table.</summary>
    public SettlingColumn<TRow, T> Add<T>(Column<T> column, string field)
        where T : unmanaged
    {
        var settling = new SettlingColumn<TRow, T>(this, column, (int)Marshal.OffsetOf<TRow>(field));
        _columns.Add(settling);
        return settling;
    }

    /// <returns>Index of the row.</returns>
    public int Add(in TRow row)
    {
        if (Count - Settled == Kept)
        {
            SettleUpTo(Count - (Kept / 2));
        }

        _latest[Count & Mask] = row;
        return Count++;
    }

    /// <summary>The rows as they are now; those that are added or changed later need another call.</summary>
    public Table ToTable()
    {
        SettleUpTo(Count);
        return _table;
    }

    /// <summary>A field of a row that has not settled.</summary>
    /// <param name="offset">Of the field in the row, bytes.</param>
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
