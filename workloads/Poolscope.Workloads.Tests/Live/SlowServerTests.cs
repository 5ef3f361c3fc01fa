using System.Diagnostics;
using System.Net;
using Poolscope.Workloads.Running;
using Poolscope.Workloads.SlowService;
using Xunit;

namespace Poolscope.Workloads.Tests.Live;

[Trait("live", "yes")]
[Collection(LiveCollection.Name)]
public sealed class SlowServerTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    // .NET's timers use CLOCK_MONOTONIC_COARSE, with ticks 10 ms apart at 100 Hz. Both ends of a delay may miss one.
    private static readonly TimeSpan TooEarly = TimeSpan.FromMilliseconds(20);

    [Fact]
    public void Many_at_once_are_each_answered_after_the_delay()
    {
        var delay = TimeSpan.FromMilliseconds(500);
        using var server = SlowServerProcess.Start(delay);
        var service = new IPEndPoint(IPAddress.Loopback, server.Port);
        var lasted = new TimeSpan[100];
        var threads = Enumerable.Range(0, lasted.Length).Select(i => new Thread(() =>
        {
            var start = Stopwatch.GetTimestamp();
            BlockingRequest.Send(service);
            lasted[i] = Stopwatch.GetElapsedTime(start);
        })).ToList();
        threads.ForEach(t => t.Start());
        threads.ForEach(t => t.Join());

        // One after the other, the answers would take 50 s.
        Assert.All(lasted, t => Assert.True(t > delay - TooEarly && t < 3 * delay, t.ToString()));
    }

    [Fact]
    public void The_server_has_a_process_of_its_own_that_ends_when_it_is_disposed()
    {
        int id;
        using (var server = SlowServerProcess.Start(TimeSpan.Zero))
        {
            id = server.ProcessId;
            Assert.NotEqual(Environment.ProcessId, id);
            BlockingRequest.Send(new IPEndPoint(IPAddress.Loopback, server.Port));
        }

        Assert.False(IsAlive(id));
    }

    [Fact]
    public void A_program_that_has_ended_may_be_asked_to_end_once_more()
    {
        // As when a signal comes while the owner disposes of the program.
        var program = OwnProgram.Start("the slow service", SlowServerProcess.Verb, "--work-ms", "0");
        program.Dispose();
        program.AskToEnd();
        Assert.NotEmpty(program.FirstLine);
    }

    [Fact]
    public void The_server_dies_with_a_parent_that_is_killed()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "finds the child in /proc");
        using var parent = Command.Start(null, "run", "ticket", "--count", "4", "--work-ms", "30000");
        var server = 0;
        Assert.True(SpinWait.SpinUntil(() => (server = ChildOf(parent.Id)) != 0, Patience), "no server was started");

        parent.Kill(entireProcessTree: false);

        Assert.True(SpinWait.SpinUntil(() => !IsAlive(server), Patience), "the server outlived its parent");
    }

    [Fact]
    public void A_server_ignores_the_diagnostic_port_that_is_meant_for_its_parent()
    {
        // A server that obeyed it would wait forever for a collector at this address. Only the server's process
        // inherits it here, because this process already runs.
        const string variable = "DOTNET_DiagnosticPorts";
        var before = Environment.GetEnvironmentVariable(variable);
        Environment.SetEnvironmentVariable(variable, Path.Combine(Path.GetTempPath(), $"nobody-{Environment.ProcessId}.sock") + ",suspend");
        try
        {
            using var server = SlowServerProcess.Start(TimeSpan.Zero);
            BlockingRequest.Send(new IPEndPoint(IPAddress.Loopback, server.Port));
        }
        finally
        {
            Environment.SetEnvironmentVariable(variable, before);
        }
    }

    private static int ChildOf(int parent)
    {
        var children = Directory.EnumerateDirectories($"/proc/{parent}/task")
            .Select(task => Path.Combine(task, "children"))
            .SelectMany(path => File.ReadAllText(path).Split(' ', StringSplitOptions.RemoveEmptyEntries));
        return children.Select(int.Parse).FirstOrDefault();
    }

    private static bool IsAlive(int id)
    {
        if (OperatingSystem.IsLinux())
        {
            // A zombie is dead too. It remains if no process reaps it, as when process 1 of a container reaps no
            // orphans.
            var stat = $"/proc/{id}/stat";
            return File.Exists(stat) && File.ReadAllText(stat).Split(')')[^1].Trim()[0] is not ('Z' or 'X');
        }

        try
        {
            using var process = Process.GetProcessById(id);
            return !process.HasExited;
        }
        catch (ArgumentException)
        {
            return false;
        }
    }
}
