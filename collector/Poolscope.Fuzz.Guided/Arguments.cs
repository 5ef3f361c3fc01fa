using Poolscope.Fuzz.Corpus;
using Poolscope.Fuzz.Formats;

namespace Poolscope.Fuzz.Guided;

/// <summary>The command line: a verb, a format, and the verb's arguments. `eng/guided_fuzzing.py` writes it.</summary>
internal sealed class Arguments
{
    private readonly Dictionary<string, string> _options = [];

    public Arguments(IEnumerable<string> words)
    {
        var rest = new Queue<string>(words);
        Verb = rest.TryDequeue(out var verb) ? verb : "";
        while (rest.TryDequeue(out var word))
        {
            if (word.StartsWith("--", StringComparison.Ordinal) && rest.TryDequeue(out var value))
            {
                _options[word[2..]] = value;
            }
            else
            {
                Paths.Add(word);
            }
        }
    }

    public string Verb { get; }

    public List<string> Paths { get; } = [];

    public FileFormat Format => FileFormats.Named(_options["format"]);

    public IReadOnlyList<Seed> Seeds => Corpus.Seeds.Of(Format, _options["golden"]);

    /// <summary>The folder for capture folders; null: any.</summary>
    public string? Memory => _options.GetValueOrDefault("memory");

    public string? Save => _options.GetValueOrDefault("save");

    public int Number(string option) => int.Parse(_options[option], System.Globalization.CultureInfo.InvariantCulture);
}
