using Poolscope.Fuzz.Corpus;
using Poolscope.Fuzz.Formats;

namespace Poolscope.Fuzz;

/// <summary>An input that the decoder did not answer as it should.</summary>
/// <param name="Number">Number of the input, from 0 on. The same seed gives the same input.</param>
/// <param name="Of">The seed whose capture surrounded it.</param>
internal sealed record Finding(string Format, int Number, string What, Seed Of, byte[] Input);

/// <summary>The result of a run over one format.</summary>
/// <param name="Ways">Number of different signatures.</param>
/// <param name="MostAllocated">Most bytes that an input made the decoder allocate.</param>
/// <param name="MostPerByte">Most bytes that an input made it allocate above the fixed part, per byte of its
/// capture.</param>
internal sealed record CampaignResult(
    string Format, int Inputs, TimeSpan Time, int Ways, long MostAllocated, double MostPerByte, TimeSpan Slowest, IReadOnlyList<Finding> Findings);

/// <summary>Decodes one damaged file after another. An input that took a new way becomes a base of other inputs, so
/// that damage accumulates where it leads on.</summary>
internal sealed class Campaign(FileFormat format, IReadOnlyList<Seed> seeds, int seed)
{
    private const int MostKept = 400;
    private const int MostFindings = 20;
    private const int WritesEvery = 64;

    private readonly Random _random = new(seed);
    private readonly List<(Seed Of, byte[] File)> _kept = [.. seeds.Select(s => (s, s.File))];
    private readonly HashSet<int> _ways = [];
    private readonly List<Finding> _findings = [];
    private long _mostAllocated;
    private double _mostPerByte;
    private TimeSpan _slowest;

    /// <summary>Number of the current input.</summary>
    public int Number { get; private set; }

    /// <summary>The current input.</summary>
    public byte[] Input { get; private set; } = [];

    /// <summary>Decides whether an input that passed becomes a base of others. Called once for every input, with its
    /// seed, the input, and the default: true if its way is new and fewer than 400 inputs were kept.</summary>
    public Func<Seed, byte[], bool, bool> Keeps { get; init; } = static (_, _, isNewWay) => isNewWay;

    /// <summary>Bases of inputs beside the seeds. Default: none.</summary>
    public IEnumerable<(Seed Of, byte[] File)> Known
    {
        init => _kept.AddRange(value);
    }

    /// <summary>Whether some of the inputs also have their tables written, and their streams read in parallel. Default:
    /// yes.</summary>
    public bool Writes { get; init; } = true;

    /// <param name="inputs">Number of inputs, unless time is up before.</param>
    public CampaignResult Run(int inputs, TimeSpan most, CancellationToken cancellation)
    {
        var mutator = new Mutator(format, _random);
        var watch = System.Diagnostics.Stopwatch.StartNew();
        using var bench = new Workbench(format);
        for (Number = 0; Number < inputs && watch.Elapsed < most && _findings.Count < MostFindings; Number++)
        {
            cancellation.ThrowIfCancellationRequested();
            var (of, file) = _kept[_random.Next(_kept.Count)];
            Input = mutator.Mutate(file, _kept[_random.Next(_kept.Count)].File);
            if (Input.Length > Limits.InputBytes)
            {
                Input = Input[..Limits.InputBytes];
            }

            var outcome = bench.Decode(of, Input, writes: Writes && Number % WritesEvery == WritesEvery - 1, cancellation);
            Judge(of, outcome);
        }

        return new CampaignResult(format.Name, Number, watch.Elapsed, _ways.Count, _mostAllocated, _mostPerByte, _slowest, _findings);
    }

    private void Judge(Seed of, Outcome outcome)
    {
        var size = of.SizeWith(Input);
        _mostAllocated = Math.Max(_mostAllocated, outcome.AllocatedBytes);
        _mostPerByte = Math.Max(_mostPerByte, Math.Max(0, outcome.AllocatedBytes - Limits.FixedBytes) / (double)size);
        _slowest = outcome.Time > _slowest ? outcome.Time : _slowest;
        var missed = Limits.Missed(format, size, outcome);
        var keeps = Keeps(of, Input, missed is null && _ways.Add(outcome.Signature) && _kept.Count < MostKept);
        if (missed is not null)
        {
            _findings.Add(new Finding(format.Name, Number, missed, of, Input));
        }
        else if (keeps)
        {
            _kept.Add((of, Input));
        }
    }
}
