using Poolscope.Tables;

namespace Poolscope.Decode.Growing;

/// <summary>A column whose rows become known bit by bit: the latest rows, which nearly all changes are about, are kept apart until
/// as many have followed. What is behind them hardly changes any more and can be kept in any form.</summary>
internal sealed class SettlingColumn<T>(Column<T> column) : ISettling
    where T : unmanaged
{
    private const int Kept = 1 << 12; // a power of two
    private const int Mask = Kept - 1;

    private readonly T[] _latest = new T[Kept];

    // Rows before this one are in the column.
    private int _settled;

    /// <summary>Number of rows.</summary>
    public int Count { get; private set; }

    public T this[int row]
    {
        get => row >= _settled ? _latest[row & Mask] : column[row];
        set
        {
            if (row >= _settled)
            {
                _latest[row & Mask] = value;
            }
            else
            {
                column[row] = value;
            }
        }
    }

    public void Add(T value)
    {
        if (Count - _settled == Kept)
        {
            SettleUpTo(Count - (Kept / 2));
        }

        _latest[Count++ & Mask] = value;
    }

    /// <summary>Moves all rows into the column. Rows can be added and changed afterwards, too.</summary>
    void ISettling.Settle() => SettleUpTo(Count);

    private void SettleUpTo(int end)
    {
        for (; _settled < end; _settled++)
        {
            column.Add(_latest[_settled & Mask]);
        }
    }
}
