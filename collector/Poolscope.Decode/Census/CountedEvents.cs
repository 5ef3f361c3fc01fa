using Poolscope.Decode.Nettrace;
using Poolscope.Tables;

namespace Poolscope.Decode.Census;

/// <summary>The table `event_counts`: the events in another tool's trace, and their uses.</summary>
internal static class CountedEvents
{
    public static Table ToTable(EventCounts counts)
    {
        var table = Table.Create("event_counts");
        var (provider, id, name) = (table.String("provider"), table.Int32("event_id"), table.String("name"));
        var (count, used) = (table.Int64("count"), table.Enum("used"));
        foreach (var (kind, events) in counts.All)
        {
            provider.Add(kind.Provider);
            id.Add(kind.IdInFile);
            name.Add(EventNames.Of(kind));
            count.Add(events);
            used.Add((byte)EventUses.Of(kind));
        }

        return table;
    }
}
