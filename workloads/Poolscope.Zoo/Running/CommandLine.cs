namespace Zoo.Running;

/// <summary>The command line of the zoos' programs, without the children that they start.</summary>
internal static class CommandLine
{
    /// <summary>Runs `list`, or `NAME [options of Stage.Read]`.</summary>
    /// <param name="usage">Message if neither is given; the exit code is then 2.</param>
    public static int Run(string[] args, IReadOnlyDictionary<string, Action<Stage>> programs, string usage)
    {
        switch (args)
        {
            case ["list"]:
                Console.WriteLine(string.Join('\n', programs.Keys));
                return 0;
            case [var name, .. var options] when programs.TryGetValue(name, out var program):
                var stage = Stage.Read(options);
                stage.EndOnTime();
                program(stage);
                stage.AwaitEnd();
                return 0;
            default:
                Console.Error.WriteLine(usage);
                return 2;
        }
    }
}
