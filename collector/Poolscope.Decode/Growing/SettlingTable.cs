using Poolscope.Tables;

namespace Poolscope.Decode.Growing;

internal interface ISettling
{
    /// <summary>Moves all rows to where they stay.</summary>
    void Settle();
}

/// <summary>A table of as many rows as the capture has items, each of which becomes known bit by bit.</summary>
/// <param name="name">As the schema calls it.</param>
internal sealed class SettlingTable(string name)
{
    private readonly Table _table = Table.Create(name, packs: true);
    private readonly List<ISettling> _columns = [];

    public SettlingColumn<int> Int32(string column) => Add(_table.Int32(column));

    public SettlingColumn<long> Int64(string column) => Add(_table.Int64(column));

    public SettlingColumn<byte> Enum(string column) => Add(_table.Enum(column));

    public SettlingColumn<ushort> Flags(string column) => Add(_table.Flags(column));

    /// <summary>The rows as they are now; those that are added or changed later need another call.</summary>
    public Table ToTable()
    {
        _columns.ForEach(column => column.Settle());
        return _table;
    }

    private SettlingColumn<T> Add<T>(Column<T> column)
        where T : unmanaged
    {
        var settling = new SettlingColumn<T>(column);
        _columns.Add(settling);
        return settling;
    }
}
