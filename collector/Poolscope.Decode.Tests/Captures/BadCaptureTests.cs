using Poolscope.Decode.Errors;
using Poolscope.Decode.Manifest;
using Xunit;

namespace Poolscope.Decode.Tests.Captures;

/// <summary>Input that is not a capture, or only a part of one.</summary>
public sealed class BadCaptureTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolscope-decode");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void A_folder_without_a_manifest_is_no_capture() => Refused("is no capture");

    [Fact]
    public void A_folder_that_does_not_exist_is_no_capture() =>
        Assert.Contains(
            "is no capture",
            Assert.ThrowsAny<DecodeException>(() => Decode("none")).Message,
            StringComparison.Ordinal);

    [Theory]
    [InlineData("")]
    [InlineData("{")]
    [InlineData("{\"format\": 1}")]
    [InlineData("null")]
    [InlineData("[]")]
    [InlineData("{\"streams\": [{}]}")]
    public void A_damaged_manifest_is_named(string text)
    {
        File.WriteAllText(PathOf("capture.json"), text);
        Refused("capture.json is damaged");
    }

    [Fact]
    public void A_file_that_is_no_nettrace_is_damage_from_its_first_byte_on()
    {
        Manifests.Of(CaptureStatus.Complete).Save(_folder.FullName);
        File.WriteAllText(PathOf("runtime.nettrace"), "something else entirely");

        var result = Decode();

        Assert.Equal("byte 0: it does not begin as a .nettrace file does", Assert.Single(result.Streams).Damage);
        Assert.Equal(0, result.Rows["work_items"]);
        Assert.Equal(1, result.Rows["losses"]);
        Assert.NotNull(Assert.Single(CaptureManifest.Load(_folder.FullName).Streams).Damage);
    }

    /// <summary>TraceEvent's messages repeat the contents of a damaged trace.</summary>
    [Fact]
    public void A_message_is_one_line_without_control_characters()
    {
        Assert.Equal("a b [2Jc d e", new DecodeException("a\nb\u001b[2Jc\rd\u0085e").Message);
        Assert.Equal(504, new DecodeException(new string('x', 100_000)).Message.Length);
    }

    [Fact]
    public void Brackets_without_end_are_a_damaged_manifest()
    {
        File.WriteAllText(PathOf("capture.json"), new string('[', 100_000));
        Refused("capture.json is damaged");
    }

    [Theory]
    [InlineData("/etc/passwd", "eventpipe")]
    [InlineData("../runtime.nettrace", "eventpipe")]
    [InlineData("a/b/c", "eventpipe")]
    [InlineData("", "eventpipe")]
    [InlineData("snapshots/../../x", "eventpipe")]
    [InlineData("a\u001b[2J", "eventpipe")]
    [InlineData(@"\\server\share\x.etlx", "etw")]
    [InlineData("//server/share/x.etlx", "etw")]
    [InlineData(@"\\.\pipe\x.etlx", "etw")]
    [InlineData("/etc/passwd", "etw")]
    public void A_manifest_that_names_files_of_others_is_damaged(string file, string tier)
    {
        Manifests.Of(CaptureStatus.Complete, new StreamInfo(file, tier, 10, 20, 100)).Save(_folder.FullName);
        Refused("outside of the capture");
    }

    [Fact]
    public void A_stream_that_ends_before_it_starts_or_comes_twice_is_a_damaged_manifest()
    {
        Manifests.Of(CaptureStatus.Complete, new StreamInfo("runtime.nettrace", "eventpipe", 20, 10, 100)).Save(_folder.FullName);
        Refused("runtime.nettrace ends before it starts");
        var stream = new StreamInfo("runtime.nettrace", "eventpipe", 10, 20, 100);
        Manifests.Of(CaptureStatus.Complete, stream, stream).Save(_folder.FullName);
        Refused("listed twice");
    }

    [Fact]
    public void Without_a_runtime_stream_there_are_no_item_tables_and_the_loss_is_a_row()
    {
        Manifests.Of(CaptureStatus.Complete, new StreamInfo("runtime.nettrace", "eventpipe", 10, 20, 100)).Save(_folder.FullName);

        var result = Decode();

        Assert.Equal(["losses", "streams"], result.Rows.Keys.Order());
        Assert.Equal(1, result.Rows["losses"]);
        Assert.Equal(["losses.npz", "streams.npz"], Directory.GetFiles(PathOf("tables")).Select(Path.GetFileName).Order());
    }

    [Fact]
    public void A_stream_cut_before_its_first_event_gives_empty_tables_and_a_loss()
    {
        Manifests.Of(CaptureStatus.Recording).Save(_folder.FullName);
        File.WriteAllBytes(PathOf("runtime.nettrace"), "Nettr"u8.ToArray());

        var result = Decode();

        Assert.True(Assert.Single(result.Streams).Cut);
        Assert.Equal(0, result.Rows["work_items"]);
        Assert.Equal(1, result.Rows["losses"]);
    }

    [Fact]
    public void A_manifest_of_a_killed_collector_is_completed()
    {
        Manifests.Of(CaptureStatus.Recording).Save(_folder.FullName);
        File.WriteAllBytes(PathOf("runtime.nettrace"), []);

        Decode();

        var manifest = CaptureManifest.Load(_folder.FullName);
        Assert.Equal(CaptureStatus.Cut, manifest.Status);
        Assert.Null(manifest.Stop);
        Assert.Equal(0, Assert.Single(manifest.Streams).Events);
        Assert.Equal((0, 1), (manifest.Tables!["work_items"], manifest.Tables["streams"]));
    }

    [Theory]
    [InlineData("runtime.nettrace")]
    [InlineData("sched.perf.data")]
    public void A_cut_stream_of_a_killed_collector_is_a_loss_each_time(string file)
    {
        Manifests.Of(CaptureStatus.Recording).Save(_folder.FullName);
        File.WriteAllBytes(PathOf(file), []);

        var first = Decode();
        var second = Decode();

        Assert.Equal(1, first.Rows["losses"]);
        Assert.True(Assert.Single(first.Streams).Cut);
        Assert.Equal(first.Rows, second.Rows);
        Assert.Equal(first.Streams, second.Streams);
    }

    [Fact]
    public void Decoding_again_replaces_the_tables()
    {
        Manifests.Of(CaptureStatus.Complete).Save(_folder.FullName);
        Decode();
        File.WriteAllText(PathOf("tables/stale.npz"), "");
        Directory.CreateDirectory(PathOf("tables.tmp")); // left by a decoder that was killed

        Decode();

        Assert.False(File.Exists(PathOf("tables/stale.npz")));
        Assert.Equal(["tables"], _folder.GetDirectories().Select(d => d.Name));
    }

    private DecodeResult Decode(string subfolder = "") =>
        CaptureDecoder.Decode(PathOf(subfolder), cancellation: TestContext.Current.CancellationToken);

    private string PathOf(string name) => Path.Combine(_folder.FullName, name);

    private void Refused(string message)
    {
        var error = Assert.ThrowsAny<DecodeException>(() => Decode());
        Assert.Contains(message, error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', error.Message);
    }
}
