using System.Text.Json;
using Poolscope.Collect.Live;
using Poolscope.Collect.Watching;
using Xunit;

namespace Poolscope.Collect.Tests.Live;

public sealed class StateBoardTests
{
    [Fact]
    public void It_remembers_a_minute_and_counts_what_happened()
    {
        var board = new StateBoard(maxBytes: 100, keep: 3);
        Assert.Null(board.Latest);
        for (var i = 0; i < 70; i++)
        {
            board.Post(PoolStates.Unknown with { Queue = i });
        }

        board.Add(new Note(PoolStates.Time, "fired", false), new Tally(1, 0, 0, 0));
        board.Add(new Note(PoolStates.Time, "warned", true), new Tally(0, 0, 0, 1));
        var state = board.Latest!;
        Assert.Equal((60, 10L, 69L), (state.Minute.Count, state.Minute[0].Queue, state.Minute[^1].Queue));
        Assert.Equal(new Tally(1, 0, 0, 1), state.Tally);
        Assert.Equal(["fired", "warned"], state.Notes.Select(note => note.Text));
        Assert.Equal((100L, 3), (state.MaxBytes, state.Keep));
        Assert.Equal(new Tally(1, 0, 0, 1), board.Post(PoolStates.Unknown).Tally);
    }

    [Fact]
    public void A_line_of_json_leaves_out_what_is_not_known()
    {
        var line = JsonDocument.Parse(StateLine.Of(PoolStates.Observed).Text()).RootElement;
        Assert.Equal("observing", line.GetProperty("state").GetString());
        Assert.Equal(1234, line.GetProperty("queue").GetInt64());
        Assert.Equal("Starvation", line.GetProperty("goal_reason").GetString());
        Assert.False(line.TryGetProperty("wait_s", out _));
        Assert.False(line.TryGetProperty("captures", out _));
    }

    [Fact]
    public void While_a_view_is_shown_the_log_waits_with_what_happened()
    {
        var (console, board) = (new RecordingConsole(terminal: true), new StateBoard());
        var log = new WatchLog(console, LogForm.Afterwards, board);
        log.State(PoolStates.Starved);
        log.Say("begun");
        log.Print("of the program");
        log.Event(new EventLine(PoolStates.Time, EventLine.Captured, Message: "captured in here"));
        log.Warn("the disk is full");
        Assert.Equal(("", ""), (console.Written, console.Complained));
        Assert.Equal(["begun", "of the program", "captured in here", "the disk is full"], board.Latest!.Notes.Select(note => note.Text));
        Assert.Equal(new Tally(0, 1, 0, 1), board.Latest.Tally);
        log.End();
        Assert.Matches(@"^\d\d:\d\d:\d\d  of the program\n\d\d:\d\d:\d\d  captured in here\nwarning: the disk is full\nbegun\n$", console.Complained);
    }

    [Theory]
    [InlineData(0.0, "0 s")]
    [InlineData(0.0004, "< 1 ms")]
    [InlineData(0.267, "267 ms")]
    [InlineData(3.21, "3.2 s")]
    [InlineData(62.0, "62 s")]
    [InlineData(3600.0, "60 min")]
    [InlineData(90_000.0, "25 h")]
    [InlineData(8_640_000.0, "100 days")]
    [InlineData(null, "not known")]
    public void Durations_read_well(double? seconds, string text) => Assert.Equal(text, StateWords.Seconds(seconds));

    [Fact]
    public void A_line_of_words_says_what_is_not_known()
    {
        Assert.Equal("observing 4711: queued for 4.0 s, queue 1,234, 14 threads, 2/s items ended, 0.31 cores", StateWords.Line(PoolStates.Observed));
        Assert.Contains("wait not known, queue not known, not known threads", StateWords.Line(PoolStates.Unknown), StringComparison.Ordinal);
        Assert.Equal("waiting", StateWords.Line(new PoolState(PoolStates.Time, WatchPhase.Waiting)));
    }
}
