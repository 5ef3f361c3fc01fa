using System.Globalization;
using System.Text.Json;
using Poolscope.Collect.Terminal;
using Poolscope.Collect.Watching;
using Xunit;

namespace Poolscope.Collect.Tests;

/// <summary>Durations, sizes and conditions mean the same in both languages: the Python tests walk
/// traces/command-line.json too.</summary>
public sealed class SharedGrammarTests
{
    private static readonly JsonElement Shared = Load();

    [Fact]
    public void Durations() => Walk("durations", row => Assert.Equal(
        Number(row, "ns"),
        Duration.Parse(Text(row, "text")!, Text(row, "bare") switch { null => 0, "s" => Duration.Second, "ms" => Duration.Millisecond, var unit => throw new InvalidDataException(unit) })));

    [Fact]
    public void Sizes() => Walk("sizes", row => Assert.Equal(
        Number(row, "bytes"),
        ByteSize.Parse(Text(row, "text")!, Text(row, "bare") switch { null => 0, "B" => 1, "MB" => ByteSize.Megabyte, var unit => throw new InvalidDataException(unit) })));

    [Fact]
    public void Conditions() => Walk("conditions", row =>
    {
        var condition = WatchCondition.Parse(Text(row, "text")!, out var complaint);
        Assert.Equal(condition is null, complaint is not null);
        Assert.Equal(Text(row, "watch"), condition is null ? null : string.Join(" or ", condition.Terms.Select(Told)));
    });

    [Fact]
    public void A_word_can_be_watched_or_the_verb_that_knows_it_is_named()
    {
        foreach (var word in Shared.GetProperty("words").EnumerateObject())
        {
            var text = word.Name + word.Value.GetProperty("takes").GetString() switch { "duration" => ">1m30s", "number" => ">=100", _ => "" };
            var condition = WatchCondition.Parse(text, out var complaint);
            Assert.Equal(word.Value.GetProperty("watch").GetBoolean(), condition is not null);
            if (condition is null)
            {
                Assert.EndsWith($"{word.Name} is known only of a capture: poolscope check CAPTURE --fail-on '{text}'", complaint, StringComparison.Ordinal);
            }
        }
    }

    [Fact]
    public void The_shared_file_has_every_word_that_can_be_watched() => Assert.Equal(
        Enum.GetNames<WatchKey>().Select(name => name.ToLowerInvariant()).Order(),
        Shared.GetProperty("words").EnumerateObject().Where(word => word.Value.GetProperty("watch").GetBoolean()).Select(word => word.Name).Order());

    private static string Told(WatchTerm term)
    {
        var held = term.For > TimeSpan.Zero ? string.Create(CultureInfo.InvariantCulture, $" for {term.For.TotalNanoseconds:0}") : "";
        var key = term.Key.ToString().ToLowerInvariant();
        return term.Key == WatchKey.Starvation ? key + held : string.Create(CultureInfo.InvariantCulture, $"{key} {(term.OrEqual ? ">=" : ">")} {term.Limit}{held}");
    }

    /// <summary>Checks each row and reports the rows that fail.</summary>
    private static void Walk(string list, Action<JsonElement> check)
    {
        var rows = Shared.GetProperty(list).EnumerateArray().ToList();
        Assert.True(rows.Count > 20);
        var wrong = rows.Where(row => Record.Exception(() => check(row)) is not null).Select(row => row.GetRawText()).ToList();
        Assert.True(wrong.Count == 0, string.Join('\n', wrong));
    }

    private static string? Text(JsonElement row, string key) => row.TryGetProperty(key, out var value) ? value.GetString() : null;

    private static long? Number(JsonElement row, string key) => row.GetProperty(key) is { ValueKind: JsonValueKind.Number } value ? value.GetInt64() : null;

    private static JsonElement Load()
    {
        var folder = new DirectoryInfo(AppContext.BaseDirectory);
        while (!File.Exists(Path.Combine(folder!.FullName, "traces", "command-line.json")))
        {
            folder = folder.Parent;
        }

        using var document = JsonDocument.Parse(File.ReadAllText(Path.Combine(folder.FullName, "traces", "command-line.json")));
        return document.RootElement.Clone();
    }
}
