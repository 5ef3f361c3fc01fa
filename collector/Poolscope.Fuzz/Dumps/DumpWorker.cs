using System.Diagnostics;
using System.Globalization;
using System.Text;
using Poolscope.Look.Judging;
using Poolscope.Look.Lines;
using Poolscope.Look.Memory;
using Poolscope.Look.Telling;

namespace Poolscope.Fuzz.Dumps;

/// <summary>Looks at one damaged dump after another in a process of its own: the runtime's library that knows its memory is native
/// code, and a dump can end it. In the command it ends the reader alone, and what that had said counts.</summary>
internal static class DumpWorker
{
    public const string Verb = "dump-worker";

    private const string Time = "5000";

    /// <param name="arguments">Dump, its copy, seed, number of the first input, and of the one after the last.</param>
    public static int Run(IReadOnlyList<string> arguments)
    {
        var (dump, copy) = (arguments[0], arguments[1]);
        var numbers = arguments.Skip(2).Select(text => int.Parse(text, CultureInfo.InvariantCulture)).ToList();
        var whole = File.ReadAllBytes(dump);
        var places = DumpLayout.Places(dump, whole);
        File.Copy(dump, copy, overwrite: true);
        using var file = new FileStream(copy, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
        var damage = new DumpDamage(file, whole, places, DumpLayout.Header(whole));
        for (var number = numbers[1]; number < numbers[2]; number++)
        {
            Console.WriteLine($"{number} begins");
            var restore = damage.Lay(numbers[0], number);
            var clock = Stopwatch.StartNew();
            var before = GC.GetTotalAllocatedBytes();
            var what = Look(copy);
            var allocated = GC.GetTotalAllocatedBytes() - before;
            restore();
            Console.WriteLine($"{number} {clock.ElapsedMilliseconds} {allocated >> 20} {what}");
        }

        return 0;
    }

    /// <summary>Does what the command does with the reader's lines.</summary>
    private static string Look(string dump)
    {
        var said = new MemoryStream();
        _ = LookChild.Run([LookChild.Dump, dump, Time], said);
        try
        {
            var reading = new LookReading();
            foreach (var line in Encoding.UTF8.GetString(said.ToArray()).Split('\n'))
            {
                if (LookJson.Parse(line) is { } parsed)
                {
                    reading.Add(parsed);
                }
            }

            if (reading.Error is { } error)
            {
                return error.Contains('\n', StringComparison.Ordinal) ? $"FAILED: two lines: {error.ReplaceLineEndings(" ")}" : "refused: " + new string([.. error.Split('(')[0].Where(c => c is ' ' || char.IsAsciiLetter(c))]).Replace(dump, "", StringComparison.Ordinal).Trim();
            }

            if (!reading.HasPool)
            {
                return "too little of the pool";
            }

            var look = new PoolLook(new PoolView(reading, new OwnModules(null, reading.Runtime?.Modules ?? [])), null, IsDump: true);
            var verdict = LookVerdict.Of(look);
            var document = LookDocument.Of(dump, look, verdict, LookNext.Of(verdict, null));
            _ = string.Join('\n', LookText.Tables(look.First).Concat(LookText.Timers(look.First)));
            return document.Verdict.Id + (reading.Complete ? "" : ", not complete");
        }
#pragma warning disable CA1031 // What is looked for.
        catch (Exception e)
#pragma warning restore CA1031
        {
            return $"FAILED: {e.ToString().ReplaceLineEndings(" ")}";
        }
    }
}
