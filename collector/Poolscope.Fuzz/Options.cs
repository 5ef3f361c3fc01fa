using System.Globalization;

namespace Poolscope.Fuzz;

/// <summary>The command line.</summary>
/// <param name="Golden">Folder of the golden captures.</param>
/// <param name="Format">Null: all formats.</param>
/// <param name="Save">Folder for the inputs that failed; null: they are not kept.</param>
internal sealed record Options(string Golden, string? Format, int Inputs, int Seed, double Minutes, string? Save, bool EveryByte)
{
    public const string Usage = """
        usage: Poolscope.Fuzz --golden FOLDER [--format NAME] [--inputs N] [--seed S] [--minutes M] [--save FOLDER]
               Poolscope.Fuzz --golden FOLDER --format NAME --every-byte
          --golden FOLDER  golden captures, as .zip: what is damaged (traces/golden)
          --format NAME    one format of files; without it, all but dump: a core dump that is made and looked at
          --inputs N       damaged files per format (2000)
          --seed S         the same seed gives the same files (1)
          --minutes M      ends a format after this time (60)
          --save FOLDER    keeps the files that failed
          --every-byte     changes each byte of the smallest file three times, and tells what shows in the tables
        """;

    /// <returns>Null if the arguments are not understood.</returns>
    public static Options? Parse(IReadOnlyList<string> arguments)
    {
        var values = new Dictionary<string, string>();
        var everyByte = false;
        for (var i = 0; i < arguments.Count; i++)
        {
            if (arguments[i] == "--every-byte")
            {
                everyByte = true;
            }
            else if (arguments[i] is "--golden" or "--format" or "--inputs" or "--seed" or "--minutes" or "--save" && i + 1 < arguments.Count)
            {
                values[arguments[i]] = arguments[++i];
            }
            else
            {
                return null;
            }
        }

        return values.TryGetValue("--golden", out var golden)
            && int.TryParse(values.GetValueOrDefault("--inputs", "2000"), CultureInfo.InvariantCulture, out var inputs)
            && int.TryParse(values.GetValueOrDefault("--seed", "1"), CultureInfo.InvariantCulture, out var seed)
            && double.TryParse(values.GetValueOrDefault("--minutes", "60"), CultureInfo.InvariantCulture, out var minutes)
            ? new Options(golden, values.GetValueOrDefault("--format"), inputs, seed, minutes, values.GetValueOrDefault("--save"), everyByte)
            : null;
    }
}
