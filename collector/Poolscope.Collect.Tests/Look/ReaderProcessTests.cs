using System.Diagnostics;
using Poolscope.Look.Lines;
using Poolscope.Look.Running;
using Xunit;

namespace Poolscope.Collect.Tests.Look;

/// <summary>Readers are held to their limits. Programs of the system act as readers that a damaged dump keeps
/// busy.</summary>
public sealed class ReaderProcessTests
{
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan Short = TimeSpan.FromSeconds(0.3);

    [Fact]
    public async Task A_reader_that_waits_for_ever_is_ended()
    {
        var reading = await ReadAsync("exec sleep 600", Long, Short);
        Assert.StartsWith("did not end within", reading.EndedBy, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_reader_that_computes_for_ever_is_ended_and_what_it_had_said_counts()
    {
        var pool = LookJson.Text(Readings.Pool(1, 2, 3, 4, 5));
        var reading = await ReadAsync($"echo '{pool}'; while :; do :; done", Short, Long);
        Assert.StartsWith("took more than 0.3 s of CPU time", reading.EndedBy, StringComparison.Ordinal);
        Assert.Equal(2, reading.Pool!.Maximum);
        Assert.False(reading.Complete);
    }

    [Fact]
    public async Task A_reader_that_takes_ever_more_memory_is_ended()
    {
        // A line is kept until it ends, and this one never does.
        var reading = await ReadAsync("exec tail -n 1 /dev/zero", Long, Long, memory: 64 << 20);
        Assert.Equal("took more than 64 MiB of memory", reading.EndedBy);
    }

    [Fact]
    public async Task A_reader_that_dies_broke_off_and_one_that_came_to_its_end_did_not()
    {
        Assert.Equal("broke off", (await ReadAsync("kill -SEGV $$", Long, Long)).EndedBy);
        Assert.Null((await ReadAsync($"echo '{LookJson.Text(new LookLine { Complete = false })}'", Long, Long)).EndedBy);
        Assert.Null((await ReadAsync($"echo '{LookJson.Text(new LookLine { Error = "no" })}'; exit 3", Long, Long)).EndedBy);
    }

    [Fact]
    public async Task Two_looks_of_one_reader_are_two_readings_and_its_death_ends_the_second_one_alone()
    {
        var end = LookJson.Text(new LookLine { Complete = true });
        using var reader = Start($"echo '{LookJson.Text(Readings.Pool(1, 2, 3, 4, 5))}'; echo '{end}'; echo '{LookJson.Text(Readings.Pool(1, 9, 3, 4, 5))}'; kill -SEGV $$");
        var first = await reader.ReadAsync(Long, Long, TestContext.Current.CancellationToken);
        var second = await reader.ReadAsync(Long, Long, TestContext.Current.CancellationToken);
        Assert.Equal((2, true, null), (first.Pool!.Maximum, first.Complete, first.EndedBy));
        Assert.Equal((9, false, "broke off"), (second.Pool!.Maximum, second.Complete, second.EndedBy));
    }

    [Fact]
    public async Task One_that_yields_ends_where_it_gets_no_core()
    {
        using var reader = ReaderProcess.Start(new ProcessStartInfo("/bin/sh", ["-c", "exec sleep 30"]), yields: true);
        var reading = await reader.ReadAsync(Long, Long, TestContext.Current.CancellationToken);
        Assert.Equal(("got no core", true), (reading.EndedBy, reader.GotNoCore));
    }

    [Fact]
    public void The_class_to_which_one_yields_runs_when_nothing_else_does()
    {
        using var sleeper = Process.Start("sleep", "30");
        Assert.True(IdleClass.Join(sleeper.Id));

        // The scheduling policy is the 41st field of proc_pid_stat(5), the 39th after the name; 5 is SCHED_IDLE.
        var stat = File.ReadAllText($"/proc/{sleeper.Id}/stat");
        sleeper.Kill();
        Assert.Equal("5", stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[38]);
    }

    private static ReaderProcess Start(string script, long memory = ReaderProcess.MostMemory) =>
        ReaderProcess.Start(new ProcessStartInfo("/bin/sh", ["-c", script]), yields: false, memory);

    private static async Task<LookReading> ReadAsync(string script, TimeSpan cpu, TimeSpan wall, long memory = ReaderProcess.MostMemory)
    {
        using var reader = Start(script, memory);
        return await reader.ReadAsync(cpu, wall, TestContext.Current.CancellationToken);
    }
}
