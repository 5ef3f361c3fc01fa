using Poolscope.Service.Commands;
using Poolscope.Service.Faults;
using Xunit;

namespace Poolscope.Service.Tests;

public sealed class CommandLineTests
{
    [Theory]
    [InlineData("", "command")]
    [InlineData("walk", "'walk'")]
    [InlineData("run --fault coffee", "no fault 'coffee': it is one of none, sync, sync-over-async, lock, timer, gc")]
    [InlineData("run --fast", "'--fast'")]
    [InlineData("run --rate 0", "--rate takes a whole number from 1 to 10000, not '0'")]
    [InlineData("run --rate many", "--rate takes")]
    [InlineData("run --rate 10000 --duration 101", "10000 requests/s for 101 s are more than 1000000 requests")]
    [InlineData("run --duration 1.5", "--duration takes")]
    [InlineData("run --db-ms -1", "--db-ms takes")]
    [InlineData("run --arrivals bursts", "no 'bursts' arrivals")]
    [InlineData("run --max-threads 40000", "--max-threads takes a whole number from 1 to 32767")]
    [InlineData("run --min-threads 9 --max-threads 3", "minimum of 9 threads is above the maximum of 3")]
    [InlineData("serve --rate 5", "'--rate'")]
    [InlineData("load", "'url' missing")]
    [InlineData("load http://example.com/", "no http or https address of this machine")]
    [InlineData("load https://example.com/", "no http or https address of this machine")]
    [InlineData("load nonsense", "no http or https address of this machine")]
    public void A_mistake_is_one_line_on_stderr_and_exit_code_2(string arguments, string says)
    {
        var (code, output, error) = Run(arguments.Split(' ', StringSplitOptions.RemoveEmptyEntries));

        Assert.Equal(2, code);
        Assert.Empty(output);
        Assert.StartsWith("poolscope-service: ", error, StringComparison.Ordinal);
        Assert.Contains(says, error, StringComparison.Ordinal);
        Assert.Equal(error.Length - 1, error.IndexOf('\n', StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("--help")]
    [InlineData("run --help")]
    [InlineData("serve --help")]
    [InlineData("load --help")]
    public void Help_ends_with_examples(string arguments)
    {
        var (code, output, error) = Run(arguments.Split(' '));

        Assert.Equal((0, ""), (code, error));
        var examples = output[output.IndexOf("Examples:", StringComparison.Ordinal)..].TrimEnd().Split('\n')[1..];
        Assert.NotEmpty(examples);
        Assert.All(examples, e => Assert.Contains("poolscope-service", e, StringComparison.Ordinal));
        Assert.DoesNotContain("--child", output, StringComparison.Ordinal);
    }

    [Fact]
    public void Help_names_every_fault()
    {
        var (_, output, _) = Run("run", "--help");

        // The help wraps its lines at the terminal's width.
        var text = string.Join(' ', output.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries));
        Assert.All(FaultDescription.All, f => Assert.Contains($"{f.Name} ({f.About})", text, StringComparison.Ordinal));
        Assert.Equal(Enum.GetValues<Fault>(), FaultDescription.All.Select(f => f.Fault));
    }

    private static (int Code, string Output, string Error) Run(params string[] arguments)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        var code = CommandLine.Run(arguments, output, error);
        return (code, output.ToString(), error.ToString());
    }
}
