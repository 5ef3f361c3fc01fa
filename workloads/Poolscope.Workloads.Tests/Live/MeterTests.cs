using System.Text.Json;
using Poolscope.Workloads.Commands;
using Xunit;

namespace Poolscope.Workloads.Tests.Live;

/// <summary>Runs that another program measures.</summary>
[Trait("live", "yes")]
[Collection(LiveCollection.Name)]
public sealed class MeterTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    [Theory]
    [InlineData("flood", 10_000, 1e9)]
    [InlineData("handoff", 100, 1e6)]
    [InlineData("paced", 5_000, 20_000)]
    public async Task It_begins_at_the_first_line_answers_each_and_ends_with_the_input(string workload, double leastRate, double mostRate)
    {
        using var process = Command.Start(null, "run", workload, "--work-ms", "60000", "--meter", "--json");
        var cancel = TestContext.Current.CancellationToken;
        await Task.Delay(300, cancel);
        var first = await AskAsync(process, cancel);
        Assert.Equal(0, first.Items); // nothing ran before the first request
        await Task.Delay(500, cancel);
        var begin = await AskAsync(process, cancel);
        await Task.Delay(500, cancel);
        var end = await AskAsync(process, cancel);

        var seconds = (end.Wall - begin.Wall) / 1e9;
        Assert.InRange(seconds, 0.4, 10);
        Assert.InRange((end.Items - begin.Items) / seconds, leastRate, mostRate);
        Assert.InRange(end.Cpu - begin.Cpu, 1, (end.Wall - begin.Wall) * Environment.ProcessorCount * 1.1);

        process.StandardInput.Close();
        Assert.True(process.WaitForExit(Patience), "the end of input does not end it");
        Assert.Equal(ExitCode.Ok, process.ExitCode);
        var summary = JsonDocument.Parse(await process.StandardOutput.ReadToEndAsync(cancel)).RootElement;
        Assert.True(summary.GetProperty("pool_items").GetInt64() >= end.Items);
    }

    private static async Task<(long Items, long Wall, double Cpu)> AskAsync(System.Diagnostics.Process process, CancellationToken cancel)
    {
        await process.StandardInput.WriteLineAsync("".AsMemory(), cancel);
        await process.StandardInput.FlushAsync(cancel);
        var reading = JsonDocument.Parse((await process.StandardOutput.ReadLineAsync(cancel))!).RootElement;
        return (
            reading.GetProperty("items").GetInt64(),
            reading.GetProperty("wall_ns").GetInt64(),
            reading.GetProperty("user_ns").GetInt64() + reading.GetProperty("system_ns").GetInt64());
    }
}
