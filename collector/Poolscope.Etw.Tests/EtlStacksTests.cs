using Poolscope.Etw.Reading;
using Xunit;

namespace Poolscope.Etw.Tests;

/// <summary>Stacks come after their events, in parts, or as keys that are defined at the end.</summary>
public sealed class EtlStacksTests
{
    private static readonly Guid Clr = Guid.Parse("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");

    private readonly EtlStacks _stacks = new();

    [Fact]
    public void The_user_s_part_comes_later_and_the_kernel_s_is_left_out()
    {
        _stacks.Blocked(time: 100, tid: 7, since: 50);
        _stacks.Walked(100, 7, Addresses(0xFFFF_F800_0000_1000, 0xFFFF_F800_0000_2000), 8);
        _stacks.Blocked(time: 200, tid: 7, since: 150);
        _stacks.Walked(100, 7, Addresses(0x1000, 0x2000), 8);
        _stacks.Walked(200, 7, Addresses(0xFFFF_F800_0000_1000, 0x3000, 0x2000), 8);
        Assert.Equal(["blocked 50 7: 1000 2000", "blocked 150 7: 3000 2000"], Delivered());
    }

    [Fact]
    public void A_key_stands_for_what_it_is_told_next()
    {
        _stacks.Blocked(100, 7, 50);
        _stacks.Keyed(100, 7, 0xBEEF);
        _stacks.Defined(0xBEEF, Addresses(0x1000), 8);
        _stacks.Blocked(200, 7, 150);
        _stacks.Keyed(200, 7, 0xBEEF);
        _stacks.Blocked(300, 8, 250);
        _stacks.Keyed(300, 8, 0xDEAD);
        _stacks.Defined(0xBEEF, Addresses(0x2000), 8);
        Assert.Equal(["blocked 50 7: 1000", "blocked 150 7: 2000"], Delivered());
    }

    [Fact]
    public void Events_of_the_runtime_have_their_own_stack_or_a_key()
    {
        _stacks.Of(Clr, 81, 100, 7, Addresses(0x1000, 0x2000), 8, key: 0);
        _stacks.Of(Clr, 301, 200, 7, [], 8, key: 0xBEEF);
        _stacks.Of(Clr, 81, 300, 7, [0, 0x10, 0, 0, 0, 0, 0, 0x90], 4, key: 0);
        _stacks.Of(Clr, 81, 400, 7, [], 8, key: 0);
        _stacks.Defined(0xBEEF, Addresses(0x3000), 8);
        Assert.Equal(["81 100 7: 1000 2000", "301 200 7: 3000", "81 300 7: 1000"], Delivered());
    }

    [Fact]
    public void Stacks_of_other_threads_and_times_are_nobody_s()
    {
        _stacks.Blocked(100, 7, 50);
        _stacks.Walked(101, 7, Addresses(0x1000), 8);
        _stacks.Walked(100, 8, Addresses(0x1000), 8);
        Assert.Empty(Delivered());
    }

    [Fact]
    public void A_thread_whose_stack_never_comes_holds_no_more_than_its_latest_events()
    {
        for (var time = 1; time <= 1000; time++)
        {
            _stacks.Blocked(time, 7, time - 1);
        }

        _stacks.Walked(1, 7, Addresses(0x1000), 8);
        _stacks.Walked(1000, 7, Addresses(0x2000), 8);
        Assert.Equal(["blocked 999 7: 2000"], Delivered());
    }

    private static byte[] Addresses(params ulong[] addresses) => [.. addresses.SelectMany(BitConverter.GetBytes)];

    private List<string> Delivered()
    {
        var recorder = new RecordedStacks();
        _stacks.Deliver(recorder);
        return recorder.Lines;
    }
}
