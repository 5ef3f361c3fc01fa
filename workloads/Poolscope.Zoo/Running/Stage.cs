using System.Diagnostics;

namespace Zoo.Running;

/// <summary>The times of a program: when its trouble begins and when it ends, in seconds since its start.</summary>
internal sealed class Stage
{
    private readonly Stopwatch _clock = Stopwatch.StartNew();
    private bool _probed;
    private double? _loadUntil;
    private int? _minThreads;
    private int? _maxThreads;

    private Stage()
    {
    }

    /// <summary>Gets the length of the run.</summary>
    public double Seconds { get; private set; } = 8;

    /// <summary>Gets the moment at which the trouble of a sick program begins.</summary>
    public double Onset { get; private set; } = 2;

    /// <summary>Gets the moment after which no new work comes: the end of the run, or <c>--load-until</c>.</summary>
    public double LoadEnd => _loadUntil ?? Seconds;

    /// <summary>Gets a value indicating whether the run ends as soon as all its work is done.</summary>
    public bool EndsWhenDone => _loadUntil is not null;

    /// <summary>Gets a value indicating whether <c>--fixed</c> makes the program await where it would block.</summary>
    public bool Fixed { get; private set; }

    /// <summary>Gets a value indicating whether each item gets a thread of its own.</summary>
    public bool Dedicated { get; private set; }

    /// <summary>Gets the seconds since the start.</summary>
    public double Now => _clock.Elapsed.TotalSeconds;

    /// <summary>Reads the options after a program's name, and sets the pool's limits that they name.</summary>
    public static Stage Read(string[] options)
    {
        var stage = new Stage();
        for (var i = 0; i < options.Length; i++)
        {
            switch (options[i])
            {
                case "--seconds":
                    stage.Seconds = Spoken.Number(options[++i]);
                    break;
                case "--onset":
                    stage.Onset = Spoken.Number(options[++i]);
                    break;
                case "--probe":
                    stage._probed = true;
                    break;
                case "--load-until":
                    stage._loadUntil = Spoken.Number(options[++i]);
                    break;
                case "--clock":
                    ItemClock.Enable();
                    break;
                case "--fixed":
                    stage.Fixed = true;
                    break;
                case "--dedicated":
                    stage.Dedicated = true;
                    break;
                case "--min-threads":
                    stage._minThreads = (int)Spoken.Number(options[++i]);
                    break;
                case "--max-threads":
                    stage._maxThreads = (int)Spoken.Number(options[++i]);
                    break;
                default:
                    throw new ArgumentException($"unknown option {options[i]}");
            }
        }

        ThreadPool.GetMinThreads(out var minimum, out _);
        ThreadPool.GetMaxThreads(out var maximum, out _);
        stage.LimitThreads(minimum, maximum);
        return stage;
    }

    /// <summary>Sets the limits of the pool as a program does at its start; <c>--min-threads</c> and
    /// <c>--max-threads</c> replace the program's values.</summary>
    public void LimitThreads(int minimum, int? maximum = null)
    {
        ThreadPool.GetMinThreads(out var presentMinimum, out var portsAtLeast);
        ThreadPool.GetMaxThreads(out var presentMaximum, out var portsAtMost);
        var (least, most) = (_minThreads ?? minimum, _maxThreads ?? maximum ?? presentMaximum);
        if (least == presentMinimum && most == presentMaximum)
        {
            return;
        }

        // The runtime refuses a minimum above the maximum at any moment.
        var set = least <= presentMaximum
            ? ThreadPool.SetMinThreads(least, portsAtLeast) && ThreadPool.SetMaxThreads(most, portsAtMost)
            : ThreadPool.SetMaxThreads(most, portsAtMost) && ThreadPool.SetMinThreads(least, portsAtLeast);
        if (!set)
        {
            throw new ArgumentException($"the runtime refuses a minimum of {least} and a maximum of {most} threads");
        }
    }

    /// <summary>Ends the process when the time is over, even if no pool thread is left to do so.</summary>
    public void EndOnTime()
    {
        var probe = _probed ? PoolProbe.Start() : null;
        var thread = new Thread(() =>
        {
            SleepUntil(LoadEnd);
            while (Now < Seconds && !(Child.ClientsAreDone && ItemClock.IsDone))
            {
                Thread.Sleep(50);
            }

            probe?.Print();
            ItemClock.Print();
            Child.EndAll();
            Environment.Exit(0);
        })
        { IsBackground = true, Name = "end" };
        thread.Start();
    }

    /// <summary>Waits until another thread ends the process.</summary>
    public void AwaitEnd() => Thread.Sleep(Timeout.Infinite);

    /// <summary>Sleeps on the calling thread until the end.</summary>
    public void Rest() => SleepUntil(Seconds);

    /// <summary>Sleeps on the calling thread until the trouble begins.</summary>
    public void AwaitOnset() => SleepUntil(Onset);

    /// <summary>Calls <paramref name="act"/> at an even rate on the calling thread.</summary>
    /// <param name="perSecond">Calls per second.</param>
    /// <param name="to">Time at which to stop; default: the end of the load.</param>
    /// <param name="act">Receives the number of the call, from 0.</param>
    public void Pace(double perSecond, Action<int> act, double? to = null)
    {
        var from = Now;
        for (var n = 0; ; n++)
        {
            var due = from + n / perSecond;
            if (due >= (to ?? LoadEnd))
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
