using Poolscope.Decode.WorkItems;
using Poolscope.Tables;
using Xunit;

namespace Poolscope.Decode.Tests.WorkItems;

public sealed class SchemaTests
{
    [Theory]
    [InlineData("enqueue_known", typeof(EnqueueKnown))]
    [InlineData("dequeue_known", typeof(DequeueKnown))]
    [InlineData("end_known", typeof(EndKnown))]
    [InlineData("kind", typeof(ItemKind))]
    public void Enums_are_the_schema_s_values(string column, Type type) =>
        Assert.Equal(Values(column), Enum.GetNames(type).Select(SnakeCase));

    [Fact]
    public void Flags_are_the_schema_s_bits()
    {
        var flags = Enum.GetValues<ItemFlags>().Where(f => f != ItemFlags.None).ToArray();

        Assert.Equal(Values("flags"), flags.Select(f => SnakeCase(f.ToString())));
        Assert.Equal(Enumerable.Range(0, flags.Length).Select(bit => 1 << bit), flags.Select(f => (int)f));
    }

    private static IReadOnlyList<string> Values(string column) =>
        Schema.Current["work_items"].Columns.Single(c => c.Name == column).Values!;

    private static string SnakeCase(string name) =>
        string.Concat(name.Select((c, i) => char.IsUpper(c) && i > 0 ? $"_{char.ToLowerInvariant(c)}" : $"{char.ToLowerInvariant(c)}"));
}
