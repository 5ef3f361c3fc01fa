using Poolscope.Decode.Events.Web;
using Poolscope.Decode.Requests;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

/// <summary>Columns: id source name start tid thread_left end end_tid trace_id span_id parent_span_id.</summary>
public class ActivityTableTests
{
    // Paths as EventSource writes them: half a byte for each step up to 10, the upper half of a byte first.
    private static readonly Guid Outer = Path(0x12);
    private static readonly Guid Inner = Path(0x12, 0x10);
    private static readonly Guid Innermost = Path(0x12, 0x13);
    private static readonly Guid Next = Path(0x13);
    private static readonly ActivityNames One = new("shop", "pack", "t1", "a1", null);
    private static readonly ActivityNames Two = new("shop", "print", "t1", "a2", "a1");

    private readonly ActivityTable _activities = new();

    [Fact]
    public void Activities_within_and_beside_each_other_are_told_apart_by_their_spans()
    {
        _activities.Start(10, 7, Guid.Empty, One);
        _activities.Start(11, 7, Guid.Empty, Two);
        _activities.Stop(20, 9, Two);
        _activities.Stop(30, 8, One);

        Gives("0 shop pack 10 7 -1 30 8 t1 a1 -", "1 shop print 11 7 -1 20 9 t1 a2 a1");
    }

    [Fact]
    public void One_that_began_before_the_recording_has_a_row_from_its_end_on()
    {
        _activities.Stop(20, 9, Two);

        Gives("0 shop print -1 -1 -1 20 9 t1 a2 a1");
    }

    [Fact]
    public void One_without_an_end_stays_open()
    {
        _activities.Start(10, 7, Guid.Empty, One with { Trace = "" });

        Gives("0 shop pack 10 7 -1 -1 -1 - a1 -");
    }

    [Fact]
    public void A_thread_leaves_an_activity_at_the_first_event_that_is_no_part_of_it()
    {
        _activities.Start(10, 7, Outer, One);
        _activities.At(11, 7, Inner);
        _activities.At(12, 7, Innermost);
        _activities.At(13, 8, Next);
        _activities.At(14, 7, Next);
        _activities.At(15, 7, Outer);
        _activities.At(16, 7, Guid.Empty);

        Gives("0 shop pack 10 7 14 -1 -1 t1 a1 -");
    }

    [Fact]
    public void What_is_within_an_activity_is_left_before_it()
    {
        _activities.Start(10, 7, Outer, One);
        _activities.Start(11, 7, Inner, Two);
        _activities.At(12, 7, Outer);
        _activities.At(13, 7, Guid.Empty);

        Gives("0 shop pack 10 7 13 -1 -1 t1 a1 -", "1 shop print 11 7 12 -1 -1 t1 a2 a1");
    }

    [Fact]
    public void A_thread_that_takes_a_work_item_leaves_what_it_was_at()
    {
        _activities.Start(10, 7, Outer, One);
        _activities.TakesItem(20, 7);
        _activities.Start(30, 8, Next, Two);
        _activities.TakesItem(40, 7);

        Gives("0 shop pack 10 7 20 -1 -1 t1 a1 -", "1 shop print 30 8 -1 -1 -1 t1 a2 a1");
    }

    [Fact]
    public void Of_more_than_can_be_inside_each_other_the_outermost_is_given_up()
    {
        for (var n = 0; n < 30; n++)
        {
            _activities.Start(10 + n, 7, Outer, One with { Span = $"{n}" });
        }

        var rows = TableRows.Of(_activities.Table).ToArray();
        Assert.Equal("0 shop pack 10 7 34 -1 -1 t1 0 -", rows[0]);
        Assert.Equal("5 shop pack 15 7 39 -1 -1 t1 5 -", rows[5]);
        Assert.Equal("6 shop pack 16 7 -1 -1 -1 t1 6 -", rows[6]);
    }

    [Fact]
    public void Once_it_has_ended_nothing_is_left()
    {
        _activities.Start(10, 7, Outer, One);
        _activities.Stop(20, 8, One);
        _activities.At(21, 7, Next);
        _activities.TakesItem(22, 7);

        Gives("0 shop pack 10 7 -1 20 8 t1 a1 -");
    }

    [Theory]
    [InlineData(new byte[] { 0x12 }, new byte[] { 0x12 }, true)]
    [InlineData(new byte[] { 0x12 }, new byte[] { 0x12, 0x10 }, true)]
    [InlineData(new byte[] { 0x10 }, new byte[] { 0x12 }, true)]
    [InlineData(new byte[] { 0x12, 0x10 }, new byte[] { 0x12 }, false)]
    [InlineData(new byte[] { 0x12 }, new byte[] { 0x13 }, false)]
    [InlineData(new byte[] { 0x1D, 0x78, 0x0A, 0x10 }, new byte[] { 0x1D, 0x78, 0x0A, 0x12 }, true)]
    [InlineData(new byte[] { 0x1D, 0x78, 0x0A, 0x10 }, new byte[] { 0x1D, 0x79, 0x0A, 0x10 }, false)]
    [InlineData(new byte[] { }, new byte[] { 0x12 }, false)]
    public void An_id_holds_those_whose_paths_go_on_where_its_own_ends(byte[] outer, byte[] inner, bool expected)
    {
        Assert.Equal(expected, ActivityFlow.Holds(Path(outer), Path(inner)));
    }

    private static Guid Path(params byte[] path) => new([.. path, .. new byte[12 - path.Length], 0xAB, 0xCD, (byte)path.Length, 0xEF]);

    private void Gives(params string[] rows) => Assert.Equal(rows, TableRows.Of(_activities.Table));
}
