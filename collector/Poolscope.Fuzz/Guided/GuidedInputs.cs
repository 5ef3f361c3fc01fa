using Poolscope.Fuzz.Corpus;
using Poolscope.Fuzz.Formats;

namespace Poolscope.Fuzz.Guided;

/// <summary>Decodes the inputs of a fuzzer that makes them itself and knows nothing about captures. The first byte of
/// an input chooses the seed whose capture surrounds the file; the rest is the file.</summary>
internal sealed class GuidedInputs(FileFormat format, IReadOnlyList<Seed> seeds, string? memory = null) : IDisposable
{
    private readonly Workbench _bench = new(format, memory);

    /// <summary>The sound inputs to start from, one per seed.</summary>
    public IEnumerable<byte[]> Sound => seeds.Select(seed => InputOf(seed, seed.File));

    public void Dispose() => _bench.Dispose();

    /// <summary>Decodes one input. Returns why it was not answered as it should be, or null if it was.</summary>
    /// <param name="input">May be empty. Bytes beyond the longest input are left out.</param>
    /// <param name="writes">Whether the tables are also written.</param>
    public string? Miss(ReadOnlySpan<byte> input, bool writes = false)
    {
        var (seed, file) = (SeedOf(input), FileOf(input));
        return Limits.Missed(format, seed.SizeWith(file), _bench.Decode(seed, file, writes, CancellationToken.None));
    }

    /// <summary>Returns the input that puts a file into the capture of a seed.</summary>
    public byte[] InputOf(Seed seed, byte[] file) => [(byte)seeds.Index().First(known => ReferenceEquals(known.Item, seed)).Index, .. file];

    /// <summary>Returns the seed whose capture surrounds the file of an input.</summary>
    public Seed SeedOf(ReadOnlySpan<byte> input) => seeds[input.IsEmpty ? 0 : input[0] % seeds.Count];

    /// <summary>Returns the file that an input puts into its capture.</summary>
    public static byte[] FileOf(ReadOnlySpan<byte> input) => input.IsEmpty ? [] : input[1..Math.Min(input.Length, 1 + Limits.InputBytes)].ToArray();
}
