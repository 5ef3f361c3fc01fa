using System.Diagnostics;

namespace Zoo.Running;

/// <summary>A process beside the program: its clients, the service that it calls, a neighbour.</summary>
internal static class Child
{
    /// <summary>The clients stop this many seconds before the program, to write their line.</summary>
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

    /// <summary>Starts this executable again in another role.</summary>
    public static Process Start(params string[] words)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardOutput = true };
        foreach (var word in words)
        {
            start.ArgumentList.Add(word);
        }

        // A child that obeyed a collector's port would stay suspended until the collector resumed it, and the pool
        // settings are for the program alone.
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
    /// <param name="stage">The times of the run.</param>
    /// <param name="url">Address of the program.</param>
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
    /// <param name="stage">The times of the run.</param>
    /// <param name="delayMs">Delay before the onset, ms.</param>
    /// <param name="slowMs">Delay from the onset on, ms; the same as before if omitted.</param>
    /// <param name="outlives">Whether it ends seconds after the program, so that no waiter goes on before.</param>
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

    /// <summary>Ends all these processes.</summary>
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
