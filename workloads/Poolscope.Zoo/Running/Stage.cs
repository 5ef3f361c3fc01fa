using System.Diagnostics;

namespace Zoo.Running;

/// <summary>The time that a program has: when its trouble begins and when it ends, in seconds since its start.</summary>
internal sealed class Stage
{
    private readonly Stopwatch _clock = Stopwatch.StartNew();
    private readonly bool _probed;

    private Stage(double seconds, double onset, bool probed)
    {
        Seconds = seconds;
        Onset = onset;
        _probed = probed;
    }

    /// <summary>Gets the length of the run.</summary>
    public double Seconds { get; }

    /// <summary>Gets the moment at which a sick program falls ill.</summary>
    public double Onset { get; }

    /// <summary>Gets the seconds since the start.</summary>
    public double Now => _clock.Elapsed.TotalSeconds;

    /// <summary>Reads the options after a program's name. Defaults: 8 seconds, onset after 2.</summary>
    public static Stage Read(string[] options)
    {
        double seconds = 8, onset = 2;
        var probed = false;
        for (var i = 0; i < options.Length; i++)
        {
            switch (options[i])
            {
                case "--seconds":
                    seconds = Spoken.Number(options[++i]);
                    break;
                case "--onset":
                    onset = Spoken.Number(options[++i]);
                    break;
                case "--probe":
                    probed = true;
                    break;
                default:
                    throw new ArgumentException($"unknown option {options[i]}");
            }
        }

        return new Stage(seconds, onset, probed);
    }

    /// <summary>Ends the process when the time is over, also where no pool thread is left that could.</summary>
    public void EndOnTime()
    {
        var probe = _probed ? PoolProbe.Start() : null;
        var thread = new Thread(() =>
        {
            Rest();
            probe?.Print();
            Child.EndAll();
            Environment.Exit(0);
        })
        { IsBackground = true, Name = "end" };
        thread.Start();
    }

    /// <summary>Waits for the end, which is not this thread's to bring about.</summary>
    public void AwaitEnd() => Thread.Sleep(Timeout.Infinite);

    /// <summary>Sleeps on the calling thread until the end.</summary>
    public void Rest() => SleepUntil(Seconds);

    /// <summary>Sleeps on the calling thread until the trouble is to begin.</summary>
    public void AwaitOnset() => SleepUntil(Onset);

    /// <summary>Calls <paramref name="act"/> at an even rate on the calling thread.</summary>
    /// <param name="perSecond">Calls per second.</param>
    /// <param name="to">When to stop; default: the end of the run.</param>
    /// <param name="act">Gets the number of the call, from 0.</param>
    public void Pace(double perSecond, Action<int> act, double? to = null)
    {
        var from = Now;
        for (var n = 0; ; n++)
        {
            var due = from + n / perSecond;
            if (due >= (to ?? Seconds))
            {
                return;
            }

            SleepUntil(due);
            act(n);
        }
    }

    private void SleepUntil(double second)
    {
        var left = second - Now;
        if (left > 0)
        {
            Thread.Sleep(TimeSpan.FromSeconds(left));
        }
    }
}
