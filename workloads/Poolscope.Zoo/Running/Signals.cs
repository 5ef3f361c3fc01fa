using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Zoo.Running;

/// <summary>
/// Stops a process as a container engine or an operator does: <c>zoo pause PID LENGTH AT...</c> sends SIGSTOP at each
/// moment and SIGCONT LENGTH seconds later; seconds since its own start.
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

    /// <summary>Starts a process that pauses another from the onset on, again and again.</summary>
    /// <param name="stage">Gives the length: the last pause ends two seconds before the end.</param>
    /// <param name="process">Whom.</param>
    /// <param name="first">The first pause, seconds after the onset.</param>
    /// <param name="every">From one pause to the next, seconds.</param>
    /// <param name="length">Of a pause, seconds.</param>
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
