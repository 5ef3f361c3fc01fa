using Poolscope.Collect.Live;
using Poolscope.Collect.Tests.Live;
using Poolscope.Collect.Views;
using Xunit;

namespace Poolscope.Collect.Tests.Views;

public sealed class StateViewTests
{
    private static readonly ViewStyle Plain = new(Color: false, Unicode: true);

    [Fact]
    public void A_starvation_at_80_columns()
    {
        var time = PoolStates.Time.ToLocalTime().ToString("HH:mm:ss", System.Globalization.CultureInfo.InvariantCulture);
        Assert.Equal(
            $"""
            {time}  app (4711), .NET 10.0.12, up 3 h
            State             recording an incident
            Condition         wait>5s: no  or  starvation: holds

            Longest wait now  3.2 s                  Worker threads     14
            Queue             1,234                  Threads wanted     15
            Not empty for     4.0 s                  Added for starving 7
            Items begun       2/s                    CPU                0.31 cores
            Items ended       2/s                    Events lost        0
            No event for      100 ms                 Timers             3
            Why that many     starvation, 400 ms ago

            Queue, last min                                          ▁█▂  most 1,234
            Threads                                                  ▄██  most 14
            Longest wait                                             ▁█▄  most 3.2 s

            Incidents         3; captures written 2, failed 1, kept 2 of 5
            Disk              15.0 MB of 4.0 GB
            Warnings          4
            {time}  wait>5s: fired
            {time}  the disk is full
            q or Ctrl-C ends this
            """,
            Text(PoolStates.Starved, 80, 24));
    }

    [Fact]
    public void Top_says_what_it_cannot_know()
    {
        var text = Text(PoolStates.Observed, 80, 24);
        Assert.Contains("Longest wait now  not known to top", text, StringComparison.Ordinal);
        Assert.Contains("Items begun       not known to top", text, StringComparison.Ordinal);
        Assert.Contains("nothing is recorded", text, StringComparison.Ordinal);
        Assert.DoesNotContain("Disk", text, StringComparison.Ordinal);
    }

    [Fact]
    public void What_is_not_known_is_never_0()
    {
        var text = Text(PoolStates.Unknown, 80, 24);
        foreach (var label in new[] { "Longest wait now", "Queue", "Not empty for", "Worker threads", "Threads wanted", "CPU", "Items begun", "Items ended", "Events lost", "No event for", "Added for starving", "Disk" })
        {
            Assert.Matches($@"{label} +not known", text);
        }
    }

    [Theory]
    [InlineData(80, 24)]
    [InlineData(200, 60)]
    [InlineData(40, 10)]
    [InlineData(20, 5)]
    [InlineData(1, 1)]
    public void It_fits_the_terminal(int width, int height)
    {
        var many = PoolStates.Starved with
        {
            Name = new string('x', 300),
            Queue = long.MaxValue,
            WaitS = 1e9,
            Terms = [.. Enumerable.Repeat(new TermState("queue>1000 for 10s", true), 20)],
            Notes = [.. Enumerable.Repeat(new Note(PoolStates.Time, string.Concat(Enumerable.Repeat("ein längerer 文字 Satz ", 20)), true), 50)],
            Minute = [.. Enumerable.Repeat(new Moment(1e9, long.MaxValue, int.MaxValue), 60)],
        };
        foreach (var state in new[] { many, PoolStates.Unknown, PoolStates.Observed, new PoolState(PoolStates.Time, WatchPhase.Waiting), null })
        {
            var lines = new StateView(Plain).Draw(state, width, height);
            Assert.InRange(lines.Count, 1, height);
            Assert.All(lines, line => Assert.InRange(line.Length + line.Count(c => c >= '⺀'), 0, width));
        }
    }

    [Fact]
    public void A_tall_terminal_shows_more_of_what_happened()
    {
        var state = PoolStates.Starved with { Notes = [.. Enumerable.Range(0, 40).Select(i => new Note(PoolStates.Time, $"note {i}.", false))] };
        Assert.Equal(24, new StateView(Plain).Draw(state, 80, 24).Count);
        Assert.Equal(40, new StateView(Plain).Draw(state, 120, 40).Count);
        Assert.Contains(new StateView(Plain).Draw(state, 80, 24), line => line.EndsWith("note 39.", StringComparison.Ordinal));
    }

    [Fact]
    public void A_control_character_in_a_name_does_not_reach_the_terminal()
    {
        var text = Text(PoolStates.Starved with { Name = "a\e[2Jb\nc", Notes = [new Note(PoolStates.Time, "x\u001b]0;y\a", false)] }, 80, 24);
        Assert.DoesNotContain('\e', text);
        Assert.Contains("a?[2Jb?c (4711)", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Colours_are_used_only_where_they_may_be()
    {
        Assert.Contains("\e[", string.Concat(new StateView(new ViewStyle(Color: true, Unicode: true)).Draw(PoolStates.Starved, 80, 24)), StringComparison.Ordinal);
        var plain = string.Concat(new StateView(new ViewStyle(Color: false, Unicode: false)).Draw(PoolStates.Starved, 80, 24));
        Assert.True(plain.All(c => c is >= ' ' and <= '~'), plain);
    }

    [Fact]
    public void One_view_draws_many_sizes()
    {
        var view = new StateView(Plain);
        _ = view.Draw(PoolStates.Starved, 200, 60);
        Assert.Equal(new StateView(Plain).Draw(PoolStates.Starved, 80, 24), view.Draw(PoolStates.Starved, 80, 24));
    }

    [Fact]
    public void A_frame_overwrites_and_erases_what_is_left_of_the_one_before() =>
        Assert.Equal("\e[Ha\e[K\r\nb\e[K\e[J", ViewScreen.Frame(["a", "b"]));

    [Theory]
    [InlineData(null, null, "C.UTF-8", true)]
    [InlineData("C", null, "en_US.UTF-8", false)]
    [InlineData("", "de_DE.utf8", "C", true)]
    [InlineData(null, null, null, false)]
    public void The_locale_says_whether_there_are_blocks(string? all, string? type, string? lang, bool unicode) =>
        Assert.Equal(unicode, Terminals.IsUnicode(name => name switch { "LC_ALL" => all, "LC_CTYPE" => type, _ => lang }));

    private static string Text(PoolState state, int width, int height) =>
        string.Join('\n', new StateView(Plain).Draw(state, width, height).Select(line => line.TrimEnd()));
}
