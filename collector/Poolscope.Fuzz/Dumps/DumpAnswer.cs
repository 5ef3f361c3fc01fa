using System.Text;
using Poolscope.Look.Judging;
using Poolscope.Look.Lines;
using Poolscope.Look.Telling;

namespace Poolscope.Fuzz.Dumps;

/// <summary>The command's answer to a reading of a dump.</summary>
internal static class DumpAnswer
{
    /// <param name="said">The reader's lines.</param>
    public static LookReading Read(MemoryStream said)
    {
        var reading = new LookReading();
        foreach (var line in Encoding.UTF8.GetString(said.ToArray()).Split('\n'))
        {
            if (LookJson.Parse(line) is { } parsed)
            {
                reading.Add(parsed);
            }
        }

        return reading;
    }

    /// <returns>The verdict, or the words of the refusal. FAILED in front marks a wrong answer.</returns>
    public static string Of(LookReading reading, string dump)
    {
        try
        {
            if (reading.Error is { } error)
            {
                return error.Contains('\n', StringComparison.Ordinal)
                    ? $"FAILED: two lines: {error.ReplaceLineEndings(" ")}"
                    : "refused: " + new string([.. error.Split('(')[0].Replace(dump, "", StringComparison.Ordinal).Where(c => c is ' ' || char.IsAsciiLetter(c))]).Trim();
            }

            if (!reading.HasPool)
            {
                return reading.EndedBy is { } limit ? $"refused: the reader {limit}" : "too little of the pool";
            }

            var look = new PoolLook(new PoolView(reading, new OwnModules(null, reading.Runtime?.Modules ?? [])), null, IsDump: true);
            var verdict = LookVerdict.Of(look);
            var document = LookDocument.Of(dump, look, verdict, LookNext.Of(verdict, null));
            _ = string.Join('\n', LookText.Tables(look.First).Concat(LookText.Timers(look.First)));
            return document.Verdict.Id + (reading.Complete ? "" : ", not complete");
        }
#pragma warning disable CA1031 // Any exception is a finding.
        catch (Exception e)
#pragma warning restore CA1031
        {
            return $"FAILED: {e.ToString().ReplaceLineEndings(" ")}";
        }
    }
}
