using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Poolscope.Look.Memory;

namespace Poolscope.Fuzz.Dumps;

/// <summary>Looks at one damaged dump after another in one separate process, because starting one for each takes ten
/// times as long. The library that reads the runtime's memory is native code, and a dump can end it or keep it busy
/// forever. Such an input is examined once more as the command does it (<see cref="DumpCampaign"/>).</summary>
internal static class DumpWorker
{
    public const string Verb = "dump-worker";

    private const string Time = "5000";

    /// <param name="arguments">The dump, its copy, the seed, and the numbers of the first input and of the one after
    /// the last.</param>
    public static int Run(IReadOnlyList<string> arguments)
    {
        var (dump, copy) = (arguments[0], arguments[1]);
        var numbers = arguments.Skip(2).Select(text => int.Parse(text, CultureInfo.InvariantCulture)).ToList();
        var whole = File.ReadAllBytes(dump);
        File.Copy(dump, copy, overwrite: true);
        using var file = new FileStream(copy, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
        var damage = new DumpDamage(file, whole, Places(dump, whole), DumpLayout.Header(whole));
        for (var number = numbers[1]; number < numbers[2]; number++)
        {
            Console.WriteLine($"{number} begins");
            var restore = damage.Lay(numbers[0], number);
            var clock = Stopwatch.StartNew();
            var before = GC.GetTotalAllocatedBytes();
            var said = new MemoryStream();
            _ = LookChild.Run([LookChild.Dump, copy, Time, "0"], said);
            var what = DumpAnswer.Of(DumpAnswer.Read(said), copy);
            var allocated = GC.GetTotalAllocatedBytes() - before;
            restore();
            Console.WriteLine($"{number} {clock.ElapsedMilliseconds} {allocated >> 20} {what}");
        }

        return 0;
    }

    /// <summary>Returns the bytes that a look at the whole dump reads. They are the same for every worker, so the first
    /// one saves them.</summary>
    private static List<(long Offset, int Length)> Places(string dump, byte[] whole)
    {
        var kept = dump + ".places";
        if (File.Exists(kept))
        {
            return [.. JsonSerializer.Deserialize<long[][]>(File.ReadAllText(kept))!.Select(place => (place[0], (int)place[1]))];
        }

        var places = DumpLayout.Places(dump, whole).Order().ToList();
        File.WriteAllText(kept, JsonSerializer.Serialize(places.Select(place => new[] { place.Offset, place.Length })));
        return places;
    }
}
