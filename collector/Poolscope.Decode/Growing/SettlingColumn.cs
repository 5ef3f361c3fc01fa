using System.Buffers;
using System.Runtime.CompilerServices;
using Poolscope.Tables;

namespace Poolscope.Decode.Growing;

internal interface ISettling
{
    /// <summary>Moves rows to their final place.</summary>
    void Settle(int from, int end);
}

/// <summary>A column of a <see cref="SettlingTable{TRow}"/>, whether its rows have settled or not.</summary>
/// <param name="offset">The offset of the column's field in a row, bytes.</param>
internal sealed class SettlingColumn<TRow, T>(SettlingTable<TRow> table, Column<T> column, int offset) : ISettling
    where TRow : unmanaged
    where T : unmanaged
{
    public T this[int row]
    {
        get => row >= table.Settled ? table.Latest<T>(row, offset) : column[row];
        set
        {
            if (row >= table.Settled)
            {
                table.Latest<T>(row, offset) = value;
            }
            else
            {
                column[row] = value;
            }
        }
    }

    /// <summary>Copies the values of settled rows, as many as fit.</summary>
    /// <returns>The number of values copied.</returns>
    public int CopyTo(int row, Span<T> values) => column.CopyTo(row, values);

    [MethodImpl(MethodImplOptions.AggressiveOptimization)] // called for many rows, but rarely
    void ISettling.Settle(int from, int end)
    {
        var values = ArrayPool<T>.Shared.Rent(end - from);
        for (var row = from; row < end; row++)
        {
            values[row - from] = table.Latest<T>(row, offset);
        }

        column.Add(values.AsSpan(0, end - from));
        ArrayPool<T>.Shared.Return(values);
    }
}
