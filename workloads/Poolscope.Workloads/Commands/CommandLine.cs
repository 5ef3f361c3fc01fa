using System.CommandLine;

namespace Poolscope.Workloads.Commands;

/// <summary>The `poolscope-workloads` command: data on <c>output</c>, one line per mistake on <c>error</c>.</summary>
public static class CommandLine
{
    private const string Name = "poolscope-workloads";

    private static readonly string[] Examples =
    [
        "poolscope-workloads list",
        "poolscope-workloads run ticket",
        "poolscope-workloads run ticket --client async -v",
        "poolscope-workloads run trickle-v1 --min-threads 10 --json",
        "poolscope-collect collect -o capture -- poolscope-workloads run ticket",
    ];

    /// <returns>An <see cref="ExitCode"/>.</returns>
    public static int Run(string[] args, TextWriter output, TextWriter error)
    {
        var root = new RootCommand("Runs the experiments that Poolscope reproduces, and records when each item was queued, started and ended. Exit codes: 0 ok, 1 the run failed, 2 wrong argument.")
        {
            ListCommand.Create(),
            RunCommand.Create(),
            ServeCommand.Create(),
            HoldCoresCommand.Create(),
        };
        var examples = new Dictionary<string, string[]>
        {
            [root.Name] = Examples,
            [RunCommand.Name] = RunCommand.Examples,
            [ListCommand.Name] = ListCommand.Examples,
        };
        return new Invocation(Name, root, examples).Run(args, output, error);
    }
}
