using Poolscope.Collect.Processes;
using Poolscope.Collect.Windows;
using Poolscope.Decode.Manifest;
using Xunit;

namespace Poolscope.Collect.Tests.Windows;

/// <summary>The manifest's target comes from facts that Windows and the runtime report.</summary>
public sealed class WindowsFactsTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-facts-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("", new string[0])]
    [InlineData("app.exe", new[] { "app.exe" })]
    [InlineData("""  "C:\Program Files\app.exe"  --urls "http://*" x""", new[] { """C:\Program Files\app.exe""", "--urls", "http://*", "x" })]
    [InlineData("""app --name="a b" "never closed""", new[] { "app", "--name=a b", "never closed" })]
    public void A_command_line_is_divided_into_words(string line, string[] words) => Assert.Equal(words, WindowsFacts.Words(line));

    [Fact]
    public void A_program_of_its_own_has_its_settings_beside_it()
    {
        File.WriteAllText(Path.Combine(_folder, "shop.runtimeconfig.json"), """{ "runtimeOptions": { "configProperties": { "System.Threading.ThreadPool.MinThreads": 30 } } }""");
        File.WriteAllText(Path.Combine(_folder, "shop.deps.json"), "{}");
        var program = Path.Combine(_folder, "shop.exe");
        var target = WindowsFacts.Combine(Known(), new RuntimeAnswer($"\"{program}\" --fast", "10.0.12"), Environment(), program);

        Assert.Equal(("shop", ".NET 10.0.12", 8), (target.Name, target.Runtime, target.ProcessorCount));
        Assert.Equal([program, "--fast"], target.Command);
        Assert.Equal(new KnownValue(30, "runtimeconfig"), target.MinThreads);
        Assert.Equal(["shop"], target.Own?.Assemblies ?? []);
    }

    [Fact]
    public void The_host_names_the_program_that_it_runs()
    {
        var managed = Path.Combine(_folder, "shop.dll");
        var host = Path.Combine(_folder, "dotnet.exe");
        var target = WindowsFacts.Combine(Known(), new RuntimeAnswer($"{host} exec \"{managed}\" x.dll", "8.0.1"), Environment(), host);
        Assert.Equal(("shop", ".NET 8.0.1"), (target.Name, target.Runtime));
    }

    [Fact]
    public void The_environment_goes_before_everything_else()
    {
        var target = WindowsFacts.Combine(
            Known(),
            new RuntimeAnswer("app.exe", "10.0.12"),
            Environment(("DOTNET_PROCESSOR_COUNT", "3"), ("dotnet_threadpool_forcemaxworkerthreads", "14")),
            program: null);
        Assert.Equal(("app", 3, new KnownValue(3, "default")), (target.Name, target.ProcessorCount, target.MinThreads));
        Assert.Equal(new KnownValue(20, "environment"), target.MaxThreads); // the runtime reads hexadecimal
        Assert.Null(target.Own);
    }

    private static Dictionary<string, string> Environment(params (string Name, string Value)[] variables) =>
        variables.ToDictionary(variable => variable.Name, variable => variable.Value, StringComparer.OrdinalIgnoreCase);

    private static TargetInfo Known() => new()
    {
        Pid = 7,
        Name = "app",
        Command = ["app"],
        Launched = false,
        CpusAllowed = 8,
        ProcessorCount = 8,
        MinThreads = new KnownValue(8, "default"),
        MaxThreads = new KnownValue(32767, "default"),
    };
}
