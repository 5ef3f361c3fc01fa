using Poolscope.Decode.Tests.Captures;
using Poolscope.Fuzz;
using Poolscope.Fuzz.Corpus;
using Poolscope.Fuzz.Formats;
using Xunit;

namespace Poolscope.Decode.Tests.Fuzz;

/// <summary>A fixed run over damaged files of every format. The decoder answers in time and within its memory, and
/// throws nothing but a DecodeException. The long run is `./build.sh fuzz`; docs/fuzzing.md has its figures.</summary>
public sealed class FuzzTests
{
    private const int Inputs = 2000;

    // TraceEvent opens these, and takes ten times as long.
    private const int EtlxInputs = 200;

    public static TheoryData<string> Formats => [.. FileFormats.All.Select(format => format.Name)];

    [Theory]
    [MemberData(nameof(Formats))]
    public void Damaged_files_are_answered(string name)
    {
        var format = FileFormats.Named(name);
        var seeds = Seeds.Of(format, GoldenCapture.Goldens);

        var result = new Campaign(format, seeds, seed: 1).Run(name == "etlx" ? EtlxInputs : Inputs, TimeSpan.FromMinutes(2), TestContext.Current.CancellationToken);

        Assert.True(result.Findings.Count == 0, string.Join('\n', result.Findings.Select(finding => $"input {finding.Number}: {finding.What}")));
        Assert.True(result.Ways > 3, "all inputs went one way: the mutations do not reach the reader");
    }

    [Theory]
    [MemberData(nameof(Formats))]
    public void What_they_are_made_of_is_sound(string name)
    {
        var format = FileFormats.Named(name);
        var seeds = Seeds.Of(format, GoldenCapture.Goldens);
        Assert.NotEmpty(seeds);
        Assert.All(seeds, seed =>
        {
            using var bench = new Workbench(format);
            var decoded = bench.Read(seed, seed.File);
            Assert.All(decoded.Capture.Streams, stream => Assert.Null(stream.Damage));
            Assert.Contains(decoded.Capture.Streams, stream => stream.Events > 0);
        });
    }

    [Theory]
    [InlineData("runtime", "requests")]
    [InlineData("runtime", "calls")]
    [InlineData("runtime", "earlier_calls")]
    [InlineData("perf.data", "socket_io")]
    [InlineData("connections.csv", "sockets")]
    [InlineData("etl", "snapshots")]
    [InlineData("etl", "frames")]
    [InlineData("etl", "socket_reports")]
    public void They_reach_what_is_read_of_a_web_service(string name, string table)
    {
        var format = FileFormats.Named(name);
        Assert.Contains(Seeds.Of(format, GoldenCapture.Goldens), seed =>
        {
            using var bench = new Workbench(format);
            return bench.Read(seed, seed.File).Tables.Any(made => made.Schema.Name == table && made.Count > 0);
        });
    }
}
