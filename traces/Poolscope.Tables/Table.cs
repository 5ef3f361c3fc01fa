namespace Poolscope.Tables;

/// <summary>A table under construction: the columns that the schema gives it, filled row by row.</summary>
/// <example><code>
/// var waits = Table.Create("waits");
/// var tid = waits.Int32("tid"); // fetch columns once, then add to each of them for every row
/// tid.Add(4711); ...
/// waits.Write(folder);
/// </code></example>
public sealed class Table
{
    private readonly Dictionary<string, Column> _columns;
    private int _released = -1;

    private Table(TableSchema schema, bool packs)
    {
        Schema = schema;
        _columns = schema.Columns.ToDictionary(c => c.Name, c => New(c, packs));
    }

    public TableSchema Schema { get; }

    /// <summary>Number of rows of the first column; after <see cref="Release"/>, the number before it.</summary>
    public int Count => _released >= 0 ? _released : _columns[Schema.Columns[0].Name].Count;

    /// <param name="packs">Whether to keep rows packed in memory. For tables of many rows that hardly change
    /// afterwards.</param>
    /// <exception cref="KeyNotFoundException">The schema has no table of this name.</exception>
    public static Table Create(string name, bool packs = false) => new(Tables.Schema.Current[name], packs);

    public Column<short> Int16(string column) => (Column<short>)_columns[column];

    public Column<int> Int32(string column) => (Column<int>)_columns[column];

    public Column<long> Int64(string column) => (Column<long>)_columns[column];

    public Column<double> Float64(string column) => (Column<double>)_columns[column];

    /// <summary>An enum column: each value is an index into the schema's `values`.</summary>
    public Column<byte> Enum(string column) => (Column<byte>)_columns[column];

    /// <summary>A flags column: bit i stands for the schema's `values[i]`.</summary>
    public Column<ushort> Flags(string column) => (Column<ushort>)_columns[column];

    public StringColumn String(string column) => (StringColumn)_columns[column];

    /// <summary>Writes FOLDER/NAME.npz.</summary>
    /// <exception cref="InvalidOperationException">The columns differ in length because a row was added in part, or the
    /// rows were released.</exception>
    public void Write(string folder)
    {
        if (_released >= 0)
        {
            throw new InvalidOperationException($"Table {Schema.Name} was released.");
        }

        if (_columns.Values.FirstOrDefault(c => c.Count != Count) is { } uneven)
        {
            throw new InvalidOperationException(
                $"Table {Schema.Name}: column {uneven.Name} has {uneven.Count} rows, the first column has {Count}.");
        }

        Npz.Write(Path.Combine(folder, Schema.Name + ".npz"), Schema.Columns.Select(c => _columns[c.Name]), packed: true);
    }

    /// <summary>Frees the memory of the rows. Call it once they are written and no longer needed; the number of rows
    /// stays available.</summary>
    public void Release()
    {
        _released = Count;
        foreach (var column in _columns.Values)
        {
            column.Clear();
        }
    }

    /// <summary>Returns the arrays that the table's file would hold.</summary>
    public IEnumerable<NpyArray> ToArrays() => Schema.Columns.SelectMany(column => _columns[column.Name].ToArrays());

    private static Column New(ColumnSchema column, bool packs) => column.Type switch
    {
        ColumnType.Int16 => new Column<short>(column.Name, packs),
        ColumnType.Int32 => new Column<int>(column.Name, packs),
        ColumnType.Int64 => new Column<long>(column.Name, packs),
        ColumnType.Float64 => new Column<double>(column.Name),
        ColumnType.Enum => new Column<byte>(column.Name, packs),
        ColumnType.Flags => new Column<ushort>(column.Name, packs),
        ColumnType.String => new StringColumn(column.Name),
        _ => throw new NotSupportedException($"Column {column.Name}: type {column.Type}."),
    };
}
