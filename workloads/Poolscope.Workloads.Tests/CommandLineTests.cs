using System.Text.Json;
using Poolscope.Workloads.Commands;
using Poolscope.Workloads.Experiments;
using Xunit;

namespace Poolscope.Workloads.Tests;

public sealed class CommandLineTests
{
    [Theory]
    [InlineData("", "command")]
    [InlineData("walk", "'walk'")]
    [InlineData("run", "'name' missing")]
    [InlineData("run nothing", "no workload 'nothing'")]
    [InlineData("run ticket --fast", "'--fast'")]
    [InlineData("run ticket --count many", "--count takes a whole number from 1 to")]
    [InlineData("run ticket --count 0", "--count takes")]
    [InlineData("run ticket --count -5", "--count takes")]
    [InlineData("run ticket --interval-ms 1.5", "--interval-ms takes")]
    [InlineData("run ticket --max-threads 40000", "--max-threads takes a whole number from 1 to 32767")]
    [InlineData("run ticket --min-threads 9 --max-threads 3", "minimum of 9 threads is above the maximum of 3")]
    [InlineData("run trickle-v1 --min-threads 11", "minimum of 11 threads is above the maximum of 10")]
    [InlineData("run ticket --client telnet", "no client 'telnet': it is one of socket, http-send, http-result, async")]
    [InlineData("run trickle-v1 --client async", "--client means nothing to trickle-v1")]
    [InlineData("run lock-convoy --guard mutex", "no guard 'mutex': it is one of lock, monitor, semaphore")]
    [InlineData("run ticket --guard lock", "--guard means nothing to ticket")]
    [InlineData("run idle --count 3", "--count means nothing to idle")]
    [InlineData("run flood --rate 3", "--rate means nothing to flood")]
    [InlineData("run idle --pool forkjoin", "no pool 'forkjoin': it is one of runtime, fixed:N, net11, net35, rotor, instant")]
    [InlineData("run idle --pool fixed:0", "no pool 'fixed:0'")]
    [InlineData("run idle --pool fixed:40000", "no pool 'fixed:40000'")]
    [InlineData("run idle --pool fixed", "no pool 'fixed'")]
    [InlineData("run trickle-v1 --pool fixed:3 --max-threads 3", "--max-threads means nothing to the pool fixed:3")]
    [InlineData("run trickle-v1 --pool instant --min-threads 3", "--min-threads means nothing to the pool instant")]
    [InlineData("run idle --work-ms 1 -o /no/such/folder/truth.npz", "cannot write /no/such/folder/truth.npz")]
    public void A_mistake_is_one_line_on_stderr_and_exit_code_2(string arguments, string says)
    {
        var (code, output, error) = Run(arguments.Split(' ', StringSplitOptions.RemoveEmptyEntries));

        Assert.Equal(ExitCode.Usage, code);
        Assert.Empty(output);
        Assert.StartsWith("poolscope-workloads: ", error, StringComparison.Ordinal);
        Assert.Contains(says, error, StringComparison.Ordinal);
        Assert.Equal(error.Length - 1, error.IndexOf('\n', StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("--help")]
    [InlineData("list --help")]
    [InlineData("run --help")]
    public void Help_ends_with_examples_and_hides_the_helpers(string arguments)
    {
        var (code, output, error) = Run(arguments.Split(' '));

        Assert.Equal((ExitCode.Ok, ""), (code, error));
        var examples = output[output.IndexOf("Examples:", StringComparison.Ordinal)..].TrimEnd().Split('\n')[1..];
        Assert.NotEmpty(examples);
        Assert.All(examples, e => Assert.Contains("poolscope-workloads", e, StringComparison.Ordinal));
        Assert.DoesNotContain("serve", output, StringComparison.Ordinal);
        Assert.DoesNotContain("hold-cores", output, StringComparison.Ordinal);
    }

    [Fact]
    public void List_names_every_workload()
    {
        var (code, output, _) = Run("list");

        Assert.Equal(ExitCode.Ok, code);
        Assert.All(Registry.All, w => Assert.Contains(w.Description.Id, output, StringComparison.Ordinal));
        Assert.All(Registry.Hidden, w => Assert.DoesNotContain(w.Description.Id, output, StringComparison.Ordinal));
        Assert.Contains("--pool runtime|fixed:N|net11|net35|rotor|instant", output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("runtime")]
    [InlineData("fixed:3")]
    [InlineData("net11")]
    [InlineData("net35")]
    [InlineData("rotor")]
    [InlineData("instant")]
    public void The_report_names_the_pool(string pool)
    {
        // No item is queued, because the runtime's own pool also serves these tests.
        var (code, output, error) = Run("run", "idle", "--work-ms", "1", "--pool", pool, "--json");

        Assert.Equal((ExitCode.Ok, ""), (code, error));
        var report = JsonDocument.Parse(output).RootElement;
        Assert.Equal(pool, report.GetProperty("pool_name").GetString());
        Assert.Equal(pool == "fixed:3" ? 3 : 0, pool == "runtime" ? 0 : report.GetProperty("threads_at_end").GetInt32());
    }

    [Trait("live", "yes")]
    [Fact]
    public void A_workload_without_a_maximum_gets_the_pool_s_own()
    {
        var own = 25 * Environment.ProcessorCount;
        Assert.Equal(own, Max("--pool", "net11"));
        Assert.Equal(32767, Max("--pool", "net11", "--max-threads", "32767"));
        Assert.Equal(7, Max("--pool", "net11", "--max-threads", "7"));

        // The asynchronous client blocks no thread, so none of this takes long.
        static int Max(params string[] pool)
        {
            var (code, output, error) = Run(
                ["run", "ticket", "--count", "1", "--work-ms", "1", "--client", "async", "--min-threads", "1", "--json", .. pool]);
            Assert.Equal((ExitCode.Ok, ""), (code, error));
            return JsonDocument.Parse(output).RootElement.GetProperty("pool").GetProperty("max_threads").GetInt32();
        }
    }

    [Fact]
    public void List_as_json_carries_the_published_experiments_sizes()
    {
        var (code, output, _) = Run("list", "--json");
        Assert.Equal(ExitCode.Ok, code);
        var all = JsonDocument.Parse(output).RootElement.EnumerateArray().ToDictionary(e => e.GetProperty("id").GetString()!);

        Assert.Equal(
            [
                "barrier-default", "barrier-long-running", "batch-async", "batch-async-2", "batch-block-10",
                "batch-block-200", "cashiers", "cgroup-throttled", "count-pool-10", "count-reference-10", "count-single",
                "count-thread-each", "count-threads-10", "create-threads-100", "flood", "gc-pauses", "handoff",
                "hidden-lock", "idle", "injection-interval", "lock-convoy", "long-running", "noisy-neighbour", "paced",
                "rotor-growth", "schedule-pool-100", "schedule-pool-100-min", "spin", "spinner-and-short", "steady-progress",
                "table-modern", "table-net11", "table-net35", "ticket", "trickle-v1", "trickle-v2", "trickle-v3",
                "wait-then-compute",
            ],
            all.Keys.Order());
        var ticket = all["ticket"].GetProperty("full");
        Assert.Equal(3200, ticket.GetProperty("count").GetInt32());
        Assert.Equal(10_000, ticket.GetProperty("work_ms").GetInt32());
        Assert.Equal(40, ticket.GetProperty("min_threads").GetInt32());
        Assert.Equal(32767, ticket.GetProperty("max_threads").GetInt32());
        Assert.Equal(4, all["ticket"].GetProperty("clients").GetArrayLength());
        Assert.Equal(3, all["lock-convoy"].GetProperty("guards").GetArrayLength());
        foreach (var (id, min, max) in new (string, int?, int)[] { ("trickle-v1", null, 10), ("trickle-v2", 20, 20), ("trickle-v3", null, 1) })
        {
            var size = all[id].GetProperty("full");
            Assert.Equal((1000, 10, 500), (size.GetProperty("count").GetInt32(), size.GetProperty("interval_ms").GetInt32(), size.GetProperty("work_ms").GetInt32()));
            Assert.Equal(min, size.GetProperty("min_threads").Deserialize<int?>());
            Assert.Equal(max, size.GetProperty("max_threads").GetInt32());
        }

        Assert.Equal(1000, all["batch-block-10"].GetProperty("full").GetProperty("count").GetInt32());
    }

    [Fact]
    public void Every_workload_says_what_it_must_be_found_guilty_of()
    {
        Assert.All(Registry.All.Concat(Registry.Hidden), w =>
        {
            Assert.NotEmpty(w.Description.Expected);
            Assert.All(w.Description.Expected, e => Assert.NotEmpty(e.Verdicts));
            Assert.Equal(w.Description.Published is null, w.Description.Source is null);
            Assert.Same(w, Registry.Find(w.Description.Id));
        });
    }

    private static (int Code, string Output, string Error) Run(params string[] arguments)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        var code = CommandLine.Run(arguments, output, error);
        return (code, output.ToString(), error.ToString());
    }
}
