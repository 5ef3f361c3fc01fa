using System.Text;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Processes;
using Xunit;

namespace Poolscope.Collect.Tests;

public sealed class ProcFsTests : IDisposable
{
    private readonly FakeRoot _root = new();

    [Fact]
    public void A_process_name_with_brackets_does_not_shift_the_fields()
    {
        Assert.True(_root.Proc.IsAlive(FakeRoot.Pid));
        Assert.Equal(98765, _root.Proc.StartTicks(FakeRoot.Pid));
    }

    [Theory]
    [InlineData('Z', false)]
    [InlineData('X', false)]
    [InlineData('T', true)]
    [InlineData('R', true)]
    public void Dead_processes_that_nobody_waited_for_are_not_alive(char state, bool alive)
    {
        _root.Write($"/proc/{FakeRoot.Pid}/stat", $"{FakeRoot.Pid} (x) {state} 1 2 3");
        Assert.Equal(alive, _root.Proc.IsAlive(FakeRoot.Pid));
    }

    [Fact]
    public void A_process_that_is_gone_answers_nothing()
    {
        Assert.False(_root.Proc.IsAlive(1));
        Assert.Null(_root.Proc.StartTicks(1));
        Assert.Empty(_root.Proc.CommandLine(1));
        Assert.Empty(_root.Proc.EnvironmentOf(1));
        Assert.Null(_root.Proc.MappedRuntime(1));
    }

    [Fact]
    public void Owner_and_inner_pid_come_from_the_status()
    {
        Assert.Equal(1000, _root.Proc.OwnerUid(FakeRoot.Pid));
        Assert.Equal(7, _root.Proc.NamespacePid(FakeRoot.Pid));
    }

    [Theory]
    [InlineData("dotnet|/app/app.dll|x", "app")]
    [InlineData("/usr/bin/dotnet|exec|--runtimeconfig|r.json|My.App.dll", "My.App")]
    [InlineData("dotnet|run", "dotnet")]
    [InlineData("/opt/server|other.dll", "server")]
    [InlineData("", "")]
    public void A_process_is_called_after_its_program(string command, string name) =>
        Assert.Equal(name, ProcessNames.Of(command.Split('|', StringSplitOptions.RemoveEmptyEntries)));

    [Fact]
    public void Words_with_blanks_are_quoted_in_lists() => Assert.Equal("app \"a b\" \"\"", ProcessNames.Join(["app", "a b", ""]));

    [Fact]
    public void The_version_is_the_fifth_string_of_the_answer()
    {
        var payload = Answer("dotnet app.dll", "Linux", "x64", "app", "10.0.12-servicing.1+abcdef");
        Assert.Equal("10.0.12-servicing.1", DiagnosticIpc.RuntimeVersion(payload));
        for (var length = 0; length < payload.Length; length++)
        {
            Assert.Null(DiagnosticIpc.RuntimeVersion(payload.AsSpan(0, length)));
        }
    }

    [Fact]
    public void The_host_is_read_from_the_kernels_files()
    {
        _root.Write("/etc/os-release", "NAME=x\nPRETTY_NAME=\"Some Linux 1\"\n");
        _root.Write("/proc/sys/kernel/osrelease", "6.1.0\n");
        _root.Write("/sys/devices/system/cpu/online", "0-15\n");
        _root.Write("/proc/meminfo", "MemTotal:       2048 kB\nMemFree: 1 kB\n");
        var host = HostFacts.Read(_root.Proc);
        Assert.Equal(("Some Linux 1", "6.1.0", 16, 2048L * 1024), (host.Os, host.Kernel, host.CpusOnline, host.MemoryBytes));
    }

    public void Dispose() => _root.Dispose();

    private static byte[] Answer(params string[] strings)
    {
        using var stream = new MemoryStream();
        using var writer = new BinaryWriter(stream);
        writer.Write(new byte[8 + 16]);
        foreach (var text in strings)
        {
            writer.Write((uint)text.Length + 1);
            writer.Write(Encoding.Unicode.GetBytes(text + "\0"));
        }

        return stream.ToArray();
    }

    [Theory]
    [InlineData("pid:[4026531836]", false)] // PROC_PID_INIT_INO
    [InlineData("pid:[4026532801]", true)]
    public void A_pid_namespace_of_ones_own_is_told_from_the_outermost(string link, bool inside)
    {
        var links = Directory.CreateDirectory(_root.Proc.PathOf("/proc/self/ns"));
        File.CreateSymbolicLink(Path.Combine(links.FullName, "pid"), link);

        Assert.Equal(inside, _root.Proc.InPidNamespace);
    }
}
