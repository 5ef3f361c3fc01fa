using Poolscope.Decode.Events;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Pool;
using Poolscope.Decode.Runtime;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

/// <summary>`waits.owner_tid` is an OS thread id, whichever id the runtime used for the owner.</summary>
public sealed class LockOwnerTests
{
    private const int Start = 1000;
    private const int Owner = 4711;
    private const int Other = 4890;

    private static readonly TargetInfo Target = new()
    {
        Pid = 1,
        Name = "t",
        Command = [],
        Launched = false,
        CpusAllowed = 2,
        ProcessorCount = 2,
        MinThreads = new KnownValue(2, "default"),
        MaxThreads = new KnownValue(32767, "default"),
    };

    [Theory]
    [InlineData("created", 1500, Owner)]
    [InlineData("created", 1050, -1)] // before its creation, another thread may have had the id
    [InlineData("reused", 1500, Owner)]
    [InlineData("reused", 1900, Other)]
    [InlineData("listed-after", 1500, Owner)] // listed, and not created since the start
    [InlineData("listed-before", 1500, Owner)] // it lived at the start
    [InlineData("listed-before-and-gone", 1500, -1)]
    [InlineData("creation-lost", 1500, -1)] // two threads, and no event of the second one's beginning
    [InlineData("nothing", 1500, -1)]
    public void A_managed_id_is_the_thread_that_had_it_or_nobody(string told, long time, int expected)
    {
        var threads = new ManagedThreads();
        switch (told)
        {
            case "created":
                threads.Created(1100, 24, Owner);
                break;
            case "reused":
                threads.Created(1800, 24, Other);
                threads.Created(1100, 24, Owner);
                break;
            case "listed-after":
                threads.Lives(2000, 24, Owner);
                break;
            case "listed-before" or "listed-before-and-gone":
                threads.Lives(900, 24, told == "listed-before" ? Owner : Other);
                break;
            case "creation-lost":
                threads.Created(1100, 24, Owner);
                threads.Lives(2000, 24, Other);
                break;
        }

        Assert.Equal(expected, threads.Of(24, time, Start, tid => tid == Owner));
    }

    [Theory]
    [InlineData(10, 24)]
    [InlineData(11, Owner)]
    [InlineData(null, 24)]
    public void Since_NET_11_owners_are_managed_ids(int? version, int expected)
    {
        var tables = new RuntimeTables(version);
        tables.ThreadLives(900, Owner, 24);
        tables.ContentionBegin(1500, 10, lockId: 5, new LockOwner(24, 24));
        tables.ContentionBegin(1600, 11, lockId: 5, new LockOwner(0, 0)); // it is being handed over
        tables.ContentionBegin(1700, 12, lockId: 5, new LockOwner(99, 99));

        tables.NameOwners(Start, static (_, _) => true);

        Assert.Equal(
            [$"10 1500 -1 contention 5 {expected} -1", "11 1600 -1 contention 5 -1 -1", $"12 1700 -1 contention 5 {(version == 11 ? -1 : 99)} -1"],
            TableRows.Of(tables.Waits.Table));
    }

    [Fact]
    public void Without_a_kernel_stream_events_tell_which_threads_lived_at_the_start()
    {
        var tables = new RuntimeTables(11);
        tables.ThreadLives(900, Owner, 24);
        tables.ThreadLives(900, Other, 25);
        tables.Enqueue(1200, Owner, 1);
        tables.ContentionBegin(1500, 10, lockId: 5, new LockOwner(24, 24));
        tables.ContentionBegin(1600, 11, lockId: 6, new LockOwner(25, 25));

        tables.NameOwners(Start);

        Assert.Equal([$"10 1500 -1 contention 5 {Owner} -1", "11 1600 -1 contention 6 -1 -1"], TableRows.Of(tables.Waits.Table));
    }

    [Theory]
    [InlineData(".NET 11.0.0", 11)]
    [InlineData(".NET 8.0.31", 8)]
    [InlineData(".NET Framework 4.8.1", null)]
    [InlineData(".NET", null)]
    [InlineData(null, null)]
    public void The_runtime_s_version_is_in_its_name(string? runtime, int? major) =>
        Assert.Equal(major, (Target with { Runtime = runtime }).RuntimeMajor);
}
