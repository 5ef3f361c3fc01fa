using System.Runtime.InteropServices;
using Poolscope.Decode.Stacks;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

/// <summary>Names of code addresses, the prefix tree, and the wait that each stack belongs to.</summary>
public sealed class StackTableTests
{
    private readonly MethodMap _methods = new();

    public StackTableTests()
    {
        _methods.AddModule(7, new ManagedModule("/app/Work.dll"));
        _methods.AddMethod(0x1000, 0x100, "App.Outer", 7);
        _methods.AddMethod(0x1100, 0x40, "App.Inner", 8);
    }

    [Theory]
    [InlineData(0xfff, null)]
    [InlineData(0x1000, "App.Outer")]
    [InlineData(0x10ff, "App.Outer")]
    [InlineData(0x1100, "App.Inner")]
    [InlineData(0x1140, null)]
    public void An_address_belongs_to_the_method_whose_code_covers_it(ulong address, string? expected) =>
        Assert.Equal(expected, _methods.Find(address)?.Name);

    [Fact]
    public void Code_compiled_later_at_the_same_address_replaces_the_former()
    {
        _methods.AddMethod(0x1000, 0x20, "App.Other", 7);

        Assert.Equal(new MethodName("App.Other", "Work.dll"), _methods.Find(0x1010));
        Assert.Null(_methods.Find(0x1050));
    }

    [Fact]
    public void Stacks_share_what_they_have_in_common_and_unknown_code_is_one_frame()
    {
        var tables = new StackTables(_methods);

        Assert.Equal(1, Intern(tables, 0x1100, 0x1050));
        Assert.Equal(2, Intern(tables, 0x9000, 0x1060));
        Assert.Equal(3, Intern(tables, 0x9900, 0x9000, 0x1060));
        Assert.Equal(1, Intern(tables, 0x1110, 0x1050));

        Assert.Equal(["0 -1 0", "1 0 1", "2 0 2", "3 2 2"], TableRows.Of(tables.Stacks));
        Assert.Equal(["App.Outer Work.dll resolved - -1 absent", "App.Inner - resolved - -1 absent", "- - unresolved - -1 absent"], TableRows.Of(tables.Frames));
    }

    [Fact]
    public void A_call_that_never_returns_belongs_to_its_caller_although_it_would_return_behind_it()
    {
        var tables = new StackTables(_methods);
        Intern(tables, 0x1100, 0x1100);

        Assert.Equal(["App.Outer Work.dll resolved - -1 absent", "App.Inner - resolved - -1 absent"], TableRows.Of(tables.Frames));
    }

    /// <summary>The memory of a dynamic method that has been freed is used again, in part or as a whole.</summary>
    [Theory]
    [InlineData(0x3010, 5, "First")]
    [InlineData(0x3010, 15, "First")]
    [InlineData(0x3010, 25, "Second")]
    [InlineData(0x3030, 15, "First")]
    [InlineData(0x3050, 15, "Around")]
    [InlineData(0x3080, 15, null)]
    public void Code_has_the_name_that_it_had_at_the_time(ulong address, long time, string? expected)
    {
        _methods.AddMethod(0x2f00, 0x180, "Around", 7, from: 1);
        _methods.AddMethod(0x3000, 0x40, "First", 7, from: 10);
        _methods.AddMethod(0x3000, 0x20, "Second", 7, from: 20);

        Assert.Equal(expected, _methods.Find(address, time, out var always)?.Name);
        Assert.False(always && expected is "First" or "Second");
    }

    [Fact]
    public void A_method_that_the_rundown_knows_and_the_runtime_told_is_one()
    {
        var listed = _methods.AddMethod(0x3000, 0x40, "Same", 7);

        Assert.Same(listed, _methods.AddMethod(0x3000, 0x40, "Same", 7, from: 10));
        Assert.NotNull(_methods.Find(0x3000, 0, out var always));
        Assert.True(always);
    }

    [Fact]
    public void A_wait_has_the_stack_of_its_thread_and_kind()
    {
        var stacks = TwoStacks();

        Assert.Equal([1, 2], stacks.Match(10, contention: false, [(4_000_100, 4_500_000), (5_000_100, -1)]));
        Assert.Equal([-1], stacks.Match(10, contention: true, [(5_000_000, -1)]));
        Assert.Equal([-1], stacks.Match(11, contention: false, [(5_000_000, -1)]));
    }

    /// <summary>On a busy machine the thread may lose its core between the clock readings of the two streams.</summary>
    [Fact]
    public void A_stack_that_was_written_some_slices_later_is_the_waits()
    {
        Assert.Equal([1, 2], TwoStacks().Match(10, contention: false, [(3_600_000, 4_700_000), (4_800_000, -1)]));
        Assert.Equal([-1, 2], TwoStacks().Match(10, contention: false, [(3_600_000, 3_700_000), (4_800_000, -1)]));
    }

    [Fact]
    public void A_stack_belongs_to_one_wait_at_most()
    {
        Assert.Equal([-1, 1, 2], TwoStacks().Match(10, contention: false, [(3_900_000, -1), (4_000_050, -1), (5_000_050, -1)]));
        Assert.Equal([-1], TwoStacks().Match(10, contention: false, [(2_000_000_000, -1)]));
    }

    private static WaitStacks TwoStacks()
    {
        var stacks = new WaitStacks();
        stacks.Add(10, contention: false, 5_000_000, 2);
        stacks.Add(10, contention: false, 4_000_000, 1);
        return stacks;
    }

    private static int Intern(StackTables tables, params ulong[] addresses) =>
        tables.Intern(MemoryMarshal.AsBytes<ulong>(addresses));
}
