using Poolscope.Decode.Manifest;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.Decode.Schedstat;
using Poolscope.Decode.Tests.Captures;
using Xunit;

namespace Poolscope.Decode.Tests.Schedstat;

public sealed class SchedstatFileTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolscope-schedstat");

    private string FilePath => Path.Combine(_folder.FullName, SchedstatFormat.FileName);

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void What_is_written_is_read()
    {
        var records = Records();
        Write(records, cutBytes: 0);

        var read = new List<SchedstatRecord>();
        var summary = SchedstatFile.Read(FilePath, StreamBounds.None, read.Add, TestContext.Current.CancellationToken);

        Assert.Equal(records, read);
        Assert.Equal(new SchedstatSummary(1000, 3000, 2, Cut: false), summary);
    }

    [Theory]
    [InlineData(1, 3, 2000)]
    [InlineData(SchedstatFormat.RecordBytes, 3, 2000)]
    [InlineData(SchedstatFormat.RecordBytes + 5, 2, 1000)]
    public void A_file_may_end_anywhere(int cutBytes, int whole, long last)
    {
        Write(Records(), cutBytes);
        var read = new List<SchedstatRecord>();
        var summary = SchedstatFile.Read(FilePath, StreamBounds.None, read.Add, TestContext.Current.CancellationToken);
        Assert.Equal((whole, last, true), (read.Count, summary.LastNs, summary.Cut));
    }

    [Fact]
    public void The_capture_of_a_killed_collector_decodes_and_says_that_it_is_cut()
    {
        Manifests.Of(CaptureStatus.Recording).Save(_folder.FullName);
        Write(Records(), cutBytes: 7);

        var result = CaptureDecoder.Decode(_folder.FullName, cancellation: TestContext.Current.CancellationToken);

        Assert.Equal(["losses", "streams", "thread_states", "threads"], result.Rows.Keys.Order());
        var stream = Assert.Single(result.Streams);
        Assert.Equal(("schedstat", true, 1000, 2000), (stream.Tier, stream.Cut, stream.StartNs, stream.EndNs));
        Assert.Equal(1, result.Rows["losses"]);
    }

    [Fact]
    public void What_came_before_a_damaged_record_counts()
    {
        Manifests.Of(CaptureStatus.Complete, new StreamInfo(SchedstatFormat.FileName, "schedstat", 900, 3000, 1)).Save(_folder.FullName);
        var records = Records();
        records[2] = records[2] with { PreviousNs = 5_000_000_000 }; // after its own time
        Write(records, cutBytes: 0);

        var result = CaptureDecoder.Decode(_folder.FullName, cancellation: TestContext.Current.CancellationToken);

        Assert.Equal("byte 136: a record that cannot be", Assert.Single(result.Streams).Damage);
        Assert.Equal(1, result.Rows["threads"]);
        Assert.Equal(1, result.Rows["losses"]);
    }

    [Fact]
    public void A_record_from_outside_of_the_recorded_time_is_damage()
    {
        Write(Records(), cutBytes: 0);
        var read = new List<SchedstatRecord>();
        var bounds = StreamBounds.None with { ToNs = 1999 };
        var summary = SchedstatFile.Read(FilePath, bounds, read.Add, TestContext.Current.CancellationToken);
        Assert.Equal((2, true, 1000), (read.Count, summary.Damage is not null, summary.LastNs));
    }

    [Theory]
    [InlineData("something else entirely, long enough for a header")]
    [InlineData("POOLSTAT\u0009\0\0\0 of a version to come, long enough")]
    [InlineData("")]
    public void Another_file_is_a_loss_and_no_end_of_decoding(string text)
    {
        Manifests.Of(CaptureStatus.Complete).Save(_folder.FullName);
        File.WriteAllText(FilePath, text);
        var result = CaptureDecoder.Decode(_folder.FullName, cancellation: TestContext.Current.CancellationToken);
        Assert.True(Assert.Single(result.Streams).Cut);
        Assert.DoesNotContain("thread_states", result.Rows.Keys);
    }

    private static SchedstatRecord[] Records() =>
    [
        new(SchedstatRecordKind.Reading, 7, 1000, 1000, 11, 12, 13, 'S'),
        new(SchedstatRecordKind.Name, 7, 1000, 1000, 0, 0, 0, '?', ".NET TP Worker"),
        new(SchedstatRecordKind.Reading, 7, 2000, 1500, 400, 12, 14, 'R'),
        new(SchedstatRecordKind.Finished, 7, 3000, 2500, 0, 0, 0, '?'),
    ];

    private void Write(SchedstatRecord[] records, int cutBytes)
    {
        var bytes = new byte[SchedstatFormat.HeaderBytes + (records.Length * SchedstatFormat.RecordBytes)];
        SchedstatFormat.WriteHeader(bytes, 10_000_000, 900, 7);
        for (var i = 0; i < records.Length; i++)
        {
            var to = bytes.AsSpan(SchedstatFormat.HeaderBytes + (i * SchedstatFormat.RecordBytes), SchedstatFormat.RecordBytes);
            if (records[i].Name is { } name)
            {
                SchedstatFormat.WriteName(to, records[i].Tid, records[i].TimeNs, System.Text.Encoding.UTF8.GetBytes(name));
            }
            else
            {
                SchedstatFormat.Write(to, records[i]);
            }
        }

        File.WriteAllBytes(FilePath, bytes[..^cutBytes]);
    }
}
