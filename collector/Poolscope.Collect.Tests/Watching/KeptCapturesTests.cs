using Poolscope.Collect.Errors;
using Poolscope.Collect.Kept;
using Xunit;

namespace Poolscope.Collect.Tests.Watching;

public sealed class KeptCapturesTests : IDisposable
{
    private static readonly DateTime Start = new(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc);

    private readonly string _root = Directory.CreateTempSubdirectory("poolscope-kept-").FullName;

    [Fact]
    public void The_oldest_goes_and_what_is_not_a_watchers_stays()
    {
        Directory.CreateDirectory(Path.Combine(Captures, "mine"));
        using var kept = KeptCaptures.Open(Captures, most: 2, maxBytes: 1 << 20);
        var made = Enumerable.Range(0, 4).Select(i => Keep(kept, i, bytes: 100)).ToList();
        Assert.Equal(made[2..], kept.Captures);
        Assert.True(Directory.Exists(Path.Combine(Captures, "mine")));
    }

    [Fact]
    public void The_size_is_kept_too()
    {
        using var kept = KeptCaptures.Open(Captures, most: 9, maxBytes: 100_000);
        var made = Enumerable.Range(0, 5).Select(i => Keep(kept, i, bytes: 40_000)).ToList();
        Assert.Equal(made[3..], kept.Captures);
        Assert.InRange(KeptCaptures.SizeOf(Captures), 80_000, 100_000);
    }

    [Fact]
    public void Captures_of_an_earlier_watcher_count_and_its_recordings_go()
    {
        using (var first = KeptCaptures.Open(Captures, most: 3, maxBytes: 1 << 20))
        {
            Keep(first, 0, bytes: 10);
            Keep(first, 1, bytes: 10);
        }

        Directory.CreateDirectory(Path.Combine(Captures, ".recording-7"));
        using var second = KeptCaptures.Open(Captures, most: 1, maxBytes: 1 << 20);
        Assert.Single(second.Captures);
        Assert.False(Directory.Exists(Path.Combine(Captures, ".recording-7")));
    }

    [Fact]
    public void Two_watchers_do_not_share_a_folder_and_an_empty_one_is_taken_away()
    {
        using (KeptCaptures.Open(Captures, most: 1, maxBytes: 1 << 20))
        {
            var refused = Assert.Throws<CommandException>(() => KeptCaptures.Open(Captures, most: 1, maxBytes: 1 << 20));
            Assert.Equal(ExitCode.Usage, refused.ExitCode);
            Assert.Contains("another poolscope watch", refused.Message, StringComparison.Ordinal);
        }

        Assert.False(Directory.Exists(Captures));
    }

    public void Dispose() => Directory.Delete(_root, recursive: true);

    private string Captures => Path.Combine(_root, "captures");

    private static string Keep(KeptCaptures kept, int number, int bytes)
    {
        var recording = kept.NextRecording();
        Directory.CreateDirectory(recording);
        File.WriteAllBytes(Path.Combine(recording, "runtime.nettrace"), new byte[bytes]);
        var capture = kept.Keep(recording, "app", new Firing(Start.AddMinutes(number), "wait>5s", "wait>5s", 60));
        File.SetLastWriteTimeUtc(Path.Combine(capture, KeptCaptures.MarkFile), Start.AddMinutes(number));
        return capture;
    }
}
