using Poolscope.Look.Memory.Threads;
using Xunit;

namespace Poolscope.Collect.Tests.Look;

public sealed class ThreadNumbersTests : IDisposable
{
    private readonly string _tasks = Directory.CreateTempSubdirectory("poolscope-test-").FullName;

    [Fact]
    public void A_thread_of_another_namespace_has_another_number_here()
    {
        Write("4711", "Name:\tapp\nNSpid:\t4711\t17\t1\n");
        Write("4712", "NSpid:\t4712\t18\t2\n");
        Write("4713", "Name:\tended\n");
        var numbers = new ThreadNumbers(_tasks);
        Assert.True(numbers.Differ);
        Assert.Equal([4711U, 4712, 3], new uint[] { 1, 2, 3 }.Select(numbers.Here));
    }

    [Fact]
    public void In_this_namespace_they_are_the_same_and_a_process_that_ended_has_none()
    {
        Write("4711", "NSpid:\t4711\n");
        Assert.Equal((false, 4711U), (new ThreadNumbers(_tasks).Differ, new ThreadNumbers(_tasks).Here(4711)));
        Assert.False(new ThreadNumbers(Path.Combine(_tasks, "gone")).Differ);
    }

    public void Dispose() => Directory.Delete(_tasks, recursive: true);

    private void Write(string task, string status) => File.WriteAllText(Path.Combine(Directory.CreateDirectory(Path.Combine(_tasks, task)).FullName, "status"), status);
}
