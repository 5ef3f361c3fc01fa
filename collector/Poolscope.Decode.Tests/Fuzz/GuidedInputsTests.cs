using System.Text.RegularExpressions;
using Poolscope.Decode.Tests.Captures;
using Poolscope.Fuzz;
using Poolscope.Fuzz.Corpus;
using Poolscope.Fuzz.Formats;
using Poolscope.Fuzz.Guided;
using Xunit;

namespace Poolscope.Decode.Tests.Fuzz;

/// <summary>The entry point and the seeds of afl-fuzz (`./build.sh fuzz --guided`), without afl-fuzz.</summary>
public sealed partial class GuidedInputsTests
{
    public static TheoryData<string> Formats => [.. FileFormats.All.Where(format => !format.IsReadByTraceEvent).Select(format => format.Name)];

    [Theory]
    [MemberData(nameof(Formats))]
    public void Sound_inputs_pass(string name)
    {
        var (format, seeds) = Of(name);
        using var inputs = new GuidedInputs(format, seeds);

        Assert.All(inputs.Sound, input =>
        {
            Assert.Null(inputs.Miss(input));
            Assert.Null(inputs.Miss(input, writes: true));
        });
        Assert.Null(inputs.Miss([]));
        Assert.Null(inputs.Miss(new byte[Limits.InputBytes + 100]));
    }

    [Fact]
    public void The_first_byte_chooses_the_capture()
    {
        var (format, seeds) = Of("runtime");
        using var inputs = new GuidedInputs(format, seeds);
        Assert.True(seeds.Count > 1);
        Assert.Equal(seeds, inputs.Sound.Select(input => inputs.SeedOf(input)));
        Assert.Equal(seeds.Select(seed => seed.File), inputs.Sound.Select(input => GuidedInputs.FileOf(input)));
        Assert.Equal(seeds[^1], inputs.SeedOf([(byte)(seeds.Count + seeds.Count - 1)]));
        Assert.Equal(Limits.InputBytes, GuidedInputs.FileOf(new byte[Limits.InputBytes + 100]).Length);
    }

    [Theory]
    [InlineData(0, 1, false, null)]
    [InlineData(0, 1, true, "InvalidOperationException")]
    [InlineData(31, 1, false, "took 31.0 s")]
    [InlineData(0, (8L << 20) + (64 * 1000), false, null)]
    [InlineData(0, (8L << 20) + (64 * 1000) + 1, false, "allocated 8 MiB")]
    public void What_is_no_answer_is_told(int seconds, long allocated, bool throws, string? told)
    {
        var outcome = new Outcome(0, TimeSpan.FromSeconds(seconds), allocated, throws ? new InvalidOperationException() : null);
        var missed = Limits.Missed(FileFormats.Named("runtime"), capture: 1000, outcome);
        Assert.Equal(told is null, missed is null);
        Assert.Contains(told ?? "", missed ?? "", StringComparison.Ordinal);
    }

    [Fact]
    public void What_another_thread_would_allocate_counts()
    {
        var (format, seeds) = Of("runtime");
        using var bench = new Workbench(format);
        var seed = seeds.MaxBy(seed => seed.File.Length)!;
        var (small, large) = (Decode(seed.File[..200]), Decode(seed.File));
        Assert.True(large - small > seed.File.Length, $"{large} and {small} bytes: the runtime's stream was read elsewhere");

        long Decode(byte[] file)
        {
            bench.Decode(seed, file, writes: false, TestContext.Current.CancellationToken);
            return bench.Decode(seed, file, writes: false, TestContext.Current.CancellationToken).AllocatedBytes;
        }
    }

    [Theory]
    [InlineData("runtime", "MetadataBlock")]
    [InlineData("runtime", "E\\x00v\\x00e\\x00n\\x00t")]
    [InlineData("capture.json", "streams")]
    [InlineData("sched.meta", "sched\\x5fswitch")]
    public void Names_of_a_format_are_words(string name, string word) =>
        Assert.Contains(Words.Of(Of(name).Format, Of(name).Seeds), line => line.Contains(word, StringComparison.Ordinal));

    [Theory]
    [MemberData(nameof(Formats))]
    public void A_dictionary_is_one_of_afl_fuzz(string name)
    {
        var (format, seeds) = Of(name);
        var lines = Words.Of(format, seeds).ToList();
        Assert.InRange(lines.Count, 1, 200);
        Assert.All(lines, line =>
        {
            Assert.Matches(Line(), line);
            Assert.InRange(Regex.Replace(line.Split('"')[1], @"\\x..", "x").Length, 1, 128);
        });
    }

    [Fact]
    public void Whoever_is_asked_what_is_kept_is_asked_once_for_each_input()
    {
        var (format, seeds) = Of("counters.csv");
        var asked = 0;
        var campaign = new Campaign(format, seeds, seed: 1)
        {
            Keeps = (of, file, _) =>
            {
                Assert.Contains(of, seeds);
                asked++;
                return false;
            },
        };
        Assert.Equal(50, campaign.Run(50, TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken).Inputs);
        Assert.Equal(50, asked);
    }

    private static (FileFormat Format, IReadOnlyList<Seed> Seeds) Of(string name) =>
        (FileFormats.Named(name), Seeds.Of(FileFormats.Named(name), GoldenCapture.Goldens));

    [GeneratedRegex(@"^word_\d+=""(?:[A-Za-z0-9]|\\x[0-9a-f]{2})+""$")]
    private static partial Regex Line();
}
