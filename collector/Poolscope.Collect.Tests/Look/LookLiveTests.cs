using System.Diagnostics;
using System.Text.Json;
using Microsoft.Diagnostics.NETCore.Client;
using Xunit;

namespace Poolscope.Collect.Tests.Look;

/// <summary>Looks at real processes and at a dump of one.</summary>
[Trait("live", "yes")]
[Trait("paired", "yes")]
public sealed class LookLiveTests : IDisposable
{
    private static readonly string Tool = Path.Combine(AppContext.BaseDirectory, "poolscope-collect.dll");
    private static readonly string Target = AppContext.BaseDirectory.TrimEnd('/')
        .Replace("Poolscope.Collect.Tests", "Poolscope.Collect.Tests.Target", StringComparison.Ordinal) + "/Poolscope.Collect.Tests.Target.dll";

    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-test-").FullName;
    private readonly List<Process> _started = [];

    [Trait("smoke", "yes")]
    [Fact]
    public async Task A_capped_pool_is_read_exactly_and_a_dump_of_it_gives_the_same_answer()
    {
        const int queued = 180;
        var (target, pending) = await StartAsync("capped", $"{queued}");
        var live = await LookAsync("-p", $"{target.Id}");
        var pool = live.GetProperty("pool");
        Assert.Equal((2, 4), (pool.GetProperty("minimum").GetInt32(), pool.GetProperty("maximum").GetInt32()));
        var queue = live.GetProperty("queue");
        Assert.InRange(queue.GetProperty("length").GetInt32(), int.Parse(pending!) * 0.98, int.Parse(pending!) * 1.02);
        var items = queue.GetProperty("items").EnumerateArray().ToDictionary(item => item.GetProperty("method").GetString()!, item => item.GetProperty("count").GetInt32());
        Assert.Equal(["Blocking.Item", "Blocking.Task"], items.Keys.Order());
        Assert.Equal(queue.GetProperty("length").GetInt32(), items.Values.Sum());
        Assert.Matches(@"^\w+\.cs:\d+$", live.GetProperty("threads").GetProperty("groups")[0].GetProperty("place").GetString());
        Assert.Equal("blocked-at-cap", Verdict(live));
        Assert.False(live.GetProperty("moved").GetProperty("taken").GetBoolean());
        Assert.DoesNotContain("SetMinThreads", live.ToString(), StringComparison.Ordinal);

        var core = Path.Combine(_folder, "core.dmp");
        await new DiagnosticsClient(target.Id).WriteDumpAsync(DumpType.WithHeap, core, WriteDumpFlags.None, TestContext.Current.CancellationToken);
        var dead = await LookAsync(core);
        foreach (var part in (string[])["pool", "queue"])
        {
            Assert.Equal(live.GetProperty(part).ToString(), dead.GetProperty(part).ToString());
        }

        Assert.Equal("blocked-at-cap", Verdict(dead));
        Assert.Equal(live.GetProperty("text").GetString(), dead.GetProperty("text").GetString());

        // Half of the file, as a full disk leaves it.
        using (var file = File.OpenWrite(core))
        {
            file.SetLength(file.Length / 2);
        }

        var (exitCode, _, errors) = await RunAsync("look", core);
        Assert.Contains(exitCode, (int[])[0, 3]);
        Assert.True(exitCode == 0 || errors.Trim().Split('\n').Length == 1, errors);
    }

    [Fact]
    public async Task A_healthy_process_gets_no_cause()
    {
        var (target, _) = await StartAsync("work", "60000");
        for (var i = 0; i < 3; i++)
        {
            Assert.Equal("healthy", Verdict(await LookAsync("-p", $"{target.Id}")));
        }
    }

    [Fact]
    public async Task A_process_that_has_not_used_its_pool_is_told_in_one_line()
    {
        var (target, _) = await StartAsync("unused", "60000");
        var (exitCode, _, errors) = await RunAsync("look", "-p", $"{target.Id}");
        Assert.Equal(3, exitCode);
        Assert.Single(errors.Trim().Split('\n'));
        Assert.Contains("has not used its thread pool yet", errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Threads_that_start_and_end_meanwhile_end_no_look()
    {
        var (target, _) = await StartAsync("threads", "200000");
        for (var i = 0; i < 10; i++)
        {
            var look = await LookAsync("-p", $"{target.Id}");
            Assert.Equal(Environment.ProcessorCount, look.GetProperty("pool").GetProperty("minimum").GetInt32());
            Assert.DoesNotContain(Verdict(look), (string[])["blocked-at-cap", "injection-delay", "sync-over-async", "lock-convoy"]);
        }

        Assert.False(target.HasExited);
    }

    [Fact]
    public async Task A_process_that_changes_as_fast_as_it_can_gets_no_wrong_limit_and_no_long_look()
    {
        var (target, _) = await StartAsync("restless", "200000");
        var seen = 0;
        for (var i = 0; i < 20; i++)
        {
            var (exitCode, output, errors) = await RunAsync("look", "-p", $"{target.Id}", "--json");
            Assert.True(exitCode is 0 || (exitCode is 3 && errors.Trim().Split('\n').Length == 1), errors);
            if (exitCode == 0)
            {
                var pool = JsonDocument.Parse(output).RootElement.GetProperty("pool");
                Assert.Contains(pool.GetProperty("minimum").GetInt32(), (int[])[2, 3]);
                Assert.Contains(pool.GetProperty("maximum").GetInt32(), (int[])[50, 60]);
                seen++;
            }
        }

        Assert.True(seen >= 15, $"{seen} of 20 looks saw the pool");
        Assert.False(target.HasExited);
    }

    [Theory]
    [InlineData("empty", "")]
    [InlineData("text", "no dump")]
    [InlineData("elf", "\u007fELF\u0002\u0001\u0001\0\0\0\0\0\0\0\0\0\u0004\0>\0")]
    [InlineData("of PowerPC", "\u007fELF\u0002\u0001\u0001\0\0\0\0\0\0\0\0\0\u0004\0\u0015\0")]
    [InlineData("of Windows", "MDMP")]
    public async Task What_is_no_dump_is_one_line(string name, string content)
    {
        var path = Path.Combine(_folder, name);
        await File.WriteAllTextAsync(path, content, TestContext.Current.CancellationToken);
        var (exitCode, _, errors) = await RunAsync("look", path);
        Assert.Equal(3, exitCode);
        Assert.Single(errors.Trim().Split('\n'));
        Assert.Contains(path, errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_process_without_the_runtime_and_a_pipe_are_refused()
    {
        using var sleep = Process.Start("sleep", "60")!;
        _started.Add(Process.GetProcessById(sleep.Id));
        var (exitCode, _, errors) = await RunAsync("look", "-p", $"{sleep.Id}");
        Assert.Equal((3, true), (exitCode, errors.Contains("no .NET runtime", StringComparison.Ordinal)));
        var pipe = Path.Combine(_folder, "pipe");
        using (var make = Process.Start("mkfifo", pipe)!)
        {
            await make.WaitForExitAsync(TestContext.Current.CancellationToken);
        }

        (exitCode, _, errors) = await RunAsync("look", pipe);
        Assert.Equal((3, true), (exitCode, errors.Contains("pipe", StringComparison.Ordinal)));
    }

    public void Dispose()
    {
        foreach (var process in _started)
        {
            process.Kill();
            process.Dispose();
        }

        Directory.Delete(_folder, recursive: true);
    }

    private static string Verdict(JsonElement look) => look.GetProperty("verdict").GetProperty("id").GetString()!;

    private async Task<(Process Process, string? FirstLine)> StartAsync(params string[] arguments)
    {
        var process = Process.Start(new ProcessStartInfo("dotnet", [Target, .. arguments]) { RedirectStandardOutput = true })!;
        _started.Add(process);
        return (process, await process.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken));
    }

    private static async Task<JsonElement> LookAsync(params string[] arguments)
    {
        var (exitCode, output, errors) = await RunAsync(["look", .. arguments, "--json"]);
        Assert.True(exitCode == 0, errors);
        return JsonDocument.Parse(output).RootElement;
    }

    private static async Task<(int ExitCode, string Output, string Errors)> RunAsync(params string[] arguments)
    {
        using var process = Process.Start(new ProcessStartInfo("dotnet", [Tool, .. arguments]) { RedirectStandardOutput = true, RedirectStandardError = true })!;
        var errors = process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        var output = await process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        return (process.ExitCode, output, await errors);
    }
}
