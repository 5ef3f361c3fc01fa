using Poolscope.Fuzz.Corpus;
using Poolscope.Fuzz.Formats;

namespace Poolscope.Fuzz;

/// <summary>An input that was not answered as it should be.</summary>
/// <param name="Number">Of the input, from 0 on: the same seed gives the same one.</param>
internal sealed record Finding(string Format, int Number, string What, byte[] Input);

/// <summary>What a run over one format gave.</summary>
/// <param name="Ways">Signatures that were seen.</param>
/// <param name="MostAllocated">Bytes that the costliest input made the decoder allocate.</param>
/// <param name="MostPerByte">The same per byte of its capture, for what was above the fixed part.</param>
internal sealed record CampaignResult(
    string Format, int Inputs, TimeSpan Time, int Ways, long MostAllocated, double MostPerByte, TimeSpan Slowest, IReadOnlyList<Finding> Findings);

/// <summary>Decodes one damaged file after another. An input that took a way that was not seen before becomes one that others
/// are made of, so that damage is laid upon damage where that leads on.</summary>
internal sealed class Campaign(FileFormat format, IReadOnlyList<Seed> seeds, int seed)
{
    private const int MostKept = 400;
    private const int MostFindings = 20;
    private const int WritesEvery = 64;
    private const long LargestInput = 256 << 10;

    private readonly Random _random = new(seed);
    private readonly List<(Seed Of, byte[] File)> _kept = [.. seeds.Select(s => (s, s.File))];
    private readonly HashSet<int> _ways = [];
    private readonly List<Finding> _findings = [];
    private long _mostAllocated;
    private double _mostPerByte;
    private TimeSpan _slowest;

    /// <summary>Number of the input that is being decoded.</summary>
    public int Number { get; private set; }

    /// <summary>The input that is being decoded.</summary>
    public byte[] Input { get; private set; } = [];

    /// <param name="inputs">How many, unless time is up before.</param>
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
            if (Input.Length > LargestInput)
            {
                Input = Input[..(int)LargestInput];
            }

            Judge(of, bench.Decode(of, Input, writes: Number % WritesEvery == WritesEvery - 1, cancellation));
        }

        return new CampaignResult(format.Name, Number, watch.Elapsed, _ways.Count, _mostAllocated, _mostPerByte, _slowest, _findings);
    }

    private void Judge(Seed of, Outcome outcome)
    {
        var size = Input.Length + of.Manifest.Length + of.Beside.Sum(file => (long)file.Bytes.Length);
        _mostAllocated = Math.Max(_mostAllocated, outcome.AllocatedBytes);
        _mostPerByte = Math.Max(_mostPerByte, Math.Max(0, outcome.AllocatedBytes - Limits.FixedBytes) / (double)size);
        _slowest = outcome.Time > _slowest ? outcome.Time : _slowest;
        var what = outcome.Failure is { } failure ? failure.ToString()
            : outcome.Time > Limits.Time ? $"took {outcome.Time.TotalSeconds:0.0} s"
            : !format.IsReadByTraceEvent && outcome.AllocatedBytes > Limits.BytesFor(size) ? $"allocated {outcome.AllocatedBytes >> 20} MiB for {size >> 10} KiB"
            : null;
        if (what is not null)
        {
            _findings.Add(new Finding(format.Name, Number, what, Input));
        }
        else if (_ways.Add(outcome.Signature) && _kept.Count < MostKept)
        {
            _kept.Add((of, Input));
        }
    }
}
