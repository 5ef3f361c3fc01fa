using System.Diagnostics;

namespace Zoo.Running;

/// <summary>A process beside the program: its clients, the service that it calls, a neighbour.</summary>
internal static class Child
{
    /// <summary>Clients stop this many seconds before the program, to write their line.</summary>
    private const double StopBeforeS = 0.4;

    private static readonly List<Process> Started = [];
    private static readonly List<Process> Clienteles = [];

    /// <summary>Gets a value indicating whether all clients have ended.</summary>
    public static bool ClientsAreDone
    {
        get
        {
            lock (Started)
            {
                return Clienteles.All(p => p.HasExited);
            }
        }
    }

    /// <summary>Starts this executable again in another part.</summary>
    public static Process Start(params string[] words)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardOutput = true };
        foreach (var word in words)
        {
            start.ArgumentList.Add(word);
        }

        // A child that obeyed a collector's port would stay suspended until somebody resumed it, and pool settings are
        // the program's alone.
        foreach (var name in start.Environment.Keys.Where(k => k.StartsWith("DOTNET_", StringComparison.Ordinal)).ToList())
        {
            start.Environment.Remove(name);
        }

        start.Environment["DOTNET_EnableDiagnostics"] = "0";
        var process = Process.Start(start)!;
        lock (Started)
        {
            Started.Add(process);
        }

        return process;
    }

    /// <summary>Starts clients for a web program.</summary>
    /// <param name="stage">Gives the length.</param>
    /// <param name="url">Where the program listens.</param>
    /// <param name="phases">See <see cref="LoadClient"/>.</param>
    public static void Clients(Stage stage, string url, params string[] phases)
    {
        string[] part = ["client", url, Spoken.Of(stage.Seconds - stage.Now - StopBeforeS)];
        if (stage.EndsWhenDone)
        {
            var end = Spoken.Of(stage.LoadEnd - stage.Now);
            part = [.. part, LoadClient.UntilAnswered];
            phases = [.. phases.Select(p => p.EndsWith("@end", StringComparison.Ordinal) ? p[..^"end".Length] + end : p)];
        }

        var clients = Start([.. part, .. phases]);
        lock (Started)
        {
            Clienteles.Add(clients);
        }
    }

    /// <summary>Starts a service that answers after a delay, and returns its address once it listens.</summary>
    /// <param name="stage">Gives the length.</param>
    /// <param name="delayMs">Before the onset.</param>
    /// <param name="slowMs">From the onset on; as before where it is left out.</param>
    /// <param name="outlives">It ends by itself, some seconds after the program: else what waits for it would go on first.</param>
    public static string Remote(Stage stage, int delayMs, int? slowMs = null, bool outlives = false)
    {
        var child = Start(
            "remote", Spoken.Of(stage.Seconds - stage.Now + 5), Spoken.Of(delayMs), Spoken.Of(slowMs ?? delayMs), Spoken.Of(stage.Onset - stage.Now));
        if (outlives)
        {
            lock (Started)
            {
                Started.Remove(child);
            }
        }

        return child.StandardOutput.ReadLine()!;
    }

    /// <summary>Ends all of them.</summary>
    public static void EndAll()
    {
        lock (Started)
        {
            foreach (var process in Started.Where(p => !p.HasExited))
            {
                process.Kill();
            }
        }
    }
}
