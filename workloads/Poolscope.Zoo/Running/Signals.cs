using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Zoo.Running;

/// <summary>
/// Stops a process like a container engine or an operator: <c>zoo pause PID LENGTH AT...</c> sends SIGSTOP at each
/// moment and SIGCONT LENGTH seconds later. Moments are in seconds since its own start.
/// </summary>
internal static class Signals
{
    private const int Continue = 18;
    private const int Stop = 19;

    /// <summary>Stops and continues the process.</summary>
    public static int Pause(string[] words)
    {
        var process = int.Parse(words[0]);
        var length = TimeSpan.FromSeconds(Spoken.Number(words[1]));
        var clock = Stopwatch.StartNew();
        foreach (var at in words[2..].Select(Spoken.Number))
        {
            var early = at - clock.Elapsed.TotalSeconds;
            Thread.Sleep(TimeSpan.FromSeconds(Math.Max(0, early)));
            if (kill(process, Stop) != 0)
            {
                return 0;
            }

            Thread.Sleep(length);
            _ = kill(process, Continue);
        }

        return 0;
    }

    /// <summary>Starts a process that pauses another one again and again from the onset on.</summary>
    /// <param name="stage">The times of the run: the last pause ends at least two seconds before the load does.</param>
    /// <param name="process">Process to pause.</param>
    /// <param name="first">First pause, seconds after the onset.</param>
    /// <param name="every">Time from one pause to the next, seconds.</param>
    /// <param name="length">Length of a pause, seconds.</param>
    public static void Pauses(Stage stage, int process, double first, double every, double length)
    {
        var moments = new List<string>();
        for (var at = stage.Onset + first; at + length <= stage.LoadEnd - 2; at += every)
        {
            moments.Add(Spoken.Of(at - stage.Now));
        }

        Child.Start(["pause", process.ToString(), Spoken.Of(length), .. moments]);
    }

    [DllImport("libc")]
    private static extern int kill(int process, int signal);
}
