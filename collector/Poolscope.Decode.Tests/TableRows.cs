using Poolscope.Tables;

namespace Poolscope.Decode.Tests;

/// <summary>Formats rows of a table as text: the values in the schema's order, enums by name.</summary>
internal static class TableRows
{
    public static IReadOnlyList<string> Of(Table table) => [.. Enumerable.Range(0, table.Count).Select(row => string.Join(
        ' ', table.Schema.Columns.Select(column => Value(table, column, row))))];

    private static object? Value(Table table, ColumnSchema column, int row) => column.Type switch
    {
        ColumnType.Int16 => table.Int16(column.Name)[row],
        ColumnType.Int32 => table.Int32(column.Name)[row],
        ColumnType.Int64 => table.Int64(column.Name)[row],
        ColumnType.Float64 => table.Float64(column.Name)[row],
        ColumnType.Enum => column.Values![table.Enum(column.Name)[row]],
        ColumnType.Flags => table.Flags(column.Name)[row],
        ColumnType.String => table.String(column.Name)[row] ?? "-",
        _ => throw new NotSupportedException(column.Type.ToString()),
    };
}
