using System.CommandLine;
using Poolscope.Workloads.Commands;

namespace Poolscope.Service.Commands;

/// <summary>The `poolscope-service` command: data on <c>output</c>, one line per mistake on <c>error</c>.</summary>
public static class CommandLine
{
    /// <summary>The name of the command and of the program's file.</summary>
    public const string Name = "poolscope-service";

    private static readonly string[] Examples =
    [
        "poolscope-service run --fault sync --rate 60 --duration 20",
        "poolscope-service run --fault none --json",
        "poolscope-collect collect -o slow -- poolscope-service run --fault sync-over-async",
        "poolscope-service serve --fault lock",
        "poolscope-service load http://127.0.0.1:5000/async --rate 100 --duration 10",
    ];

    /// <returns>An <see cref="ExitCode"/>, or 128 + the signal that ended a run.</returns>
    public static int Run(string[] args, TextWriter output, TextWriter error)
    {
        var root = new RootCommand("A web service with a slow database, a load, and a fault of your choice. Exit codes: 0 ok, 1 the run failed, 2 wrong argument, 128 + signal.")
        {
            RunCommand.Create(),
            ServeCommand.Create(),
            LoadCommand.Create(),
        };
        var examples = new Dictionary<string, string[]>
        {
            [root.Name] = Examples,
            [RunCommand.Name] = RunCommand.Examples,
            [ServeCommand.Name] = ServeCommand.Examples,
            [LoadCommand.Name] = LoadCommand.Examples,
        };
        return new Invocation(Name, root, examples).Run(args, output, error);
    }
}
