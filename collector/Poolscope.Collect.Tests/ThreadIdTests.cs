using Poolscope.Collect.Recording;
using Poolscope.Decode.Readings;
using Xunit;

namespace Poolscope.Collect.Tests;

public sealed class ThreadIdTests : IDisposable
{
    private readonly FakeRoot _root = new();
    private readonly DirectoryInfo _capture = Directory.CreateTempSubdirectory("poolscope-test-");

    public void Dispose()
    {
        _root.Dispose();
        _capture.Delete(recursive: true);
    }

    [Fact]
    public void Each_thread_of_a_container_is_written_once_with_both_ids()
    {
        Thread(FakeRoot.Pid, "4711\t7");
        using (var recorder = new ThreadIdRecorder(_root.Proc, FakeRoot.Pid, _capture.FullName))
        {
            Thread(4720, "4720\t300\t9"); // nested namespaces: the runtime knows the innermost id
            recorder.Sample();
            recorder.Sample();
        }

        Assert.Equal(["4711,7", "4720,9"], Written());
    }

    [Fact]
    public void An_id_that_is_given_again_is_looked_up_again()
    {
        Thread(4720, "4720\t9");
        using (var recorder = new ThreadIdRecorder(_root.Proc, FakeRoot.Pid, _capture.FullName))
        {
            Directory.Delete(_root.Proc.PathOf($"/proc/{FakeRoot.Pid}/task/4720"), recursive: true);
            recorder.Sample();
            Thread(4720, "4720\t31");
            recorder.Sample();
        }

        Assert.Equal(["4720,9", "4720,31"], Written());
    }

    [Fact]
    public void A_process_with_the_same_ids_inside_and_outside_needs_no_file()
    {
        _root.Write($"/proc/{FakeRoot.Pid}/status", $"Name:\tdotnet\nNSpid:\t{FakeRoot.Pid}\n");
        Thread(FakeRoot.Pid, $"{FakeRoot.Pid}");

        new ThreadIdRecorder(_root.Proc, FakeRoot.Pid, _capture.FullName).Dispose();

        Assert.Empty(_capture.GetFiles());
    }

    private void Thread(int tid, string ids) => _root.Write($"/proc/{FakeRoot.Pid}/task/{tid}/status", $"Name:\t.NET TP Worker\nNSpid:\t{ids}\n");

    private IEnumerable<string> Written()
    {
        var lines = File.ReadAllLines(Path.Combine(_capture.FullName, ThreadIdStream.FileName));
        Assert.Equal(ThreadIdStream.Header, lines[0]);
        return lines.Skip(1).Select(line => line[(line.IndexOf(',', StringComparison.Ordinal) + 1)..]);
    }
}
