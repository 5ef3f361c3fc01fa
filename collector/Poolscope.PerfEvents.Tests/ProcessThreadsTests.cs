using System.Globalization;
using Poolscope.PerfEvents.Capture.Writing;
using Xunit;

namespace Poolscope.PerfEvents.Tests;

public sealed class ProcessThreadsTests
{
    private const int Sitting = 20;

    /// <summary>Threads that live throughout are listed once, while others start and end all the time.</summary>
    [Fact]
    public void Every_thread_that_lives_all_the_while_is_there_once()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the kernel's list of threads is Linux's");
        using var end = new ManualResetEventSlim();
        using var sits = new CountdownEvent(Sitting);
        var sitting = new List<int>();
        var threads = Enumerable.Range(0, Sitting).Select(number => new Thread(() =>
        {
            lock (sitting)
            {
                sitting.Add(Tid());
            }

            sits.Signal();
            end.Wait();
        })).Append(new Thread(() =>
        {
            while (!end.IsSet)
            {
                var brief = new Thread(() => { });
                brief.Start();
                brief.Join();
            }
        })).ToList();
        threads.ForEach(thread =>
        {
            thread.IsBackground = true; // nothing ends it if the test fails
            thread.Start();
        });
        sits.Wait(TestContext.Current.CancellationToken);

        for (var look = 0; look < 50; look++)
        {
            var found = ProcessThreads.Of(Environment.ProcessId);
            Assert.Empty(sitting.Except(found));
            Assert.Equal(found.Distinct(), found);
        }

        end.Set();
        threads.ForEach(thread => thread.Join());
    }

    /// <summary>A thread that ended cut the first look short.</summary>
    [Fact]
    public void A_look_that_was_cut_short_is_not_the_last()
    {
        var looks = new Queue<IReadOnlyList<int>>([[1, 2], [1, 3, 4], [1, 3, 4], [5]]);
        Assert.Equal([1, 2, 3, 4], ProcessThreads.Gathered(looks.Dequeue));
    }

    [Fact]
    public void Looks_that_always_show_new_ones_come_to_an_end()
    {
        var next = 0;
        Assert.NotEmpty(ProcessThreads.Gathered(() => [next++]));
    }

    [Fact]
    public void A_process_that_is_not_there_has_none() => Assert.Empty(ProcessThreads.Of(int.MaxValue));

    private static int Tid() => int.Parse(new FileInfo("/proc/thread-self").ResolveLinkTarget(false)!.Name, CultureInfo.InvariantCulture);
}
