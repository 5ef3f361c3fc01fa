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
    [InlineData("run idle --count 3", "--count means nothing to idle")]
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
    }

    [Fact]
    public void List_as_json_carries_the_published_experiments_sizes()
    {
        var (code, output, _) = Run("list", "--json");
        Assert.Equal(ExitCode.Ok, code);
        var all = JsonDocument.Parse(output).RootElement.EnumerateArray().ToDictionary(e => e.GetProperty("id").GetString()!);

        Assert.Equal(
            ["batch-block-10", "cashiers", "cgroup-throttled", "gc-pauses", "hidden-lock", "idle", "lock-convoy", "noisy-neighbour", "spin", "spinner-and-short", "steady-progress", "ticket", "trickle-v1", "trickle-v2", "trickle-v3"], all.Keys.Order());
        var ticket = all["ticket"].GetProperty("full");
        Assert.Equal(1920, ticket.GetProperty("count").GetInt32());
        Assert.Equal(10_000, ticket.GetProperty("work_ms").GetInt32());
        Assert.Equal(40, ticket.GetProperty("min_threads").GetInt32());
        Assert.Equal(32767, ticket.GetProperty("max_threads").GetInt32());
        Assert.Equal(4, all["ticket"].GetProperty("clients").GetArrayLength());
        foreach (var (id, min, max) in new (string, int?, int)[] { ("trickle-v1", null, 10), ("trickle-v2", 20, 20), ("trickle-v3", null, 1) })
        {
            var size = all[id].GetProperty("defaults");
            Assert.Equal((1000, 10, 500), (size.GetProperty("count").GetInt32(), size.GetProperty("interval_ms").GetInt32(), size.GetProperty("work_ms").GetInt32()));
            Assert.Equal(min, size.GetProperty("min_threads").Deserialize<int?>());
            Assert.Equal(max, size.GetProperty("max_threads").GetInt32());
        }

        Assert.Equal(1000, all["batch-block-10"].GetProperty("full").GetProperty("count").GetInt32());
    }

    [Fact]
    public void Every_workload_says_what_it_must_be_found_guilty_of()
    {
        Assert.All(Registry.All, w =>
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
