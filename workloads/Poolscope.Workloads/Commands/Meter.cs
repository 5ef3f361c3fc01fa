using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Commands;

/// <summary>Lets another program measure a run: it writes a line and receives a reading, one line of JSON.</summary>
internal sealed class Meter(TextReader requests, TextWriter readings)
{
    /// <summary>Waits for the first line, so that the measuring program can be ready from the start of the run, and
    /// answers later lines on a thread of its own. The end of the requests stops the run.</summary>
    public void Begin(WorkloadRun run)
    {
        if (!Answer(run))
        {
            return;
        }

        new Thread(() =>
        {
            while (Answer(run))
            {
            }
        })
        { Name = "Meter", IsBackground = true }.Start();
    }

    private bool Answer(WorkloadRun run)
    {
        if (requests.ReadLine() is null)
        {
            run.Stop();
            return false;
        }

        Json.WriteLine(readings, MeterReading.Take(run.Pool));
        readings.Flush();
        return true;
    }
}
