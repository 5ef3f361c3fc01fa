using System.Text.Json;
using Poolscope.Collect.Commands.Decoding;
using Poolscope.Collect.Commands.Doctor;
using Poolscope.Collect.Commands.Looking;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Processes;
using Poolscope.PerfEvents.Linux;
using Xunit;

namespace Poolscope.Collect.Tests;

public sealed class VerbTests : IDisposable
{
    private readonly RecordingConsole _console = new();
    private readonly FakeRoot _root = new();

    [Fact]
    public void Ps_prints_an_array_of_pid_name_command_and_runtime()
    {
        PsCommand.Write([new DotnetProcess(7, "app", "dotnet app.dll \"é<\"", ".NET 10.0.12")], new PsOptions(Json: true), _console);
        var process = Assert.Single(JsonDocument.Parse(_console.Written).RootElement.EnumerateArray());
        Assert.Equal(["pid", "name", "command", "runtime"], process.EnumerateObject().Select(property => property.Name));
        Assert.Equal(7, process.GetProperty("pid").GetInt32());
        Assert.Equal("dotnet app.dll \"é<\"", process.GetProperty("command").GetString());
    }

    [Fact]
    public void Ps_without_processes_is_an_empty_array_and_a_word_to_people()
    {
        PsCommand.Write([], new PsOptions(Json: true), _console);
        Assert.Equal("[]", _console.Written.Trim());

        var people = new RecordingConsole();
        PsCommand.Write([], new PsOptions(Json: false), people);
        Assert.Empty(people.Written);
        Assert.NotEmpty(people.Complained);
    }

    [Theory]
    [InlineData(true, ExitCode.Ok)]
    [InlineData(false, ExitCode.Unreadable)]
    public void Doctor_is_content_only_with_everything(bool scheduler, int exitCode)
    {
        StreamCheck[] checks = [new("runtime", true, "opened", ""), new("sched", scheduler, "EACCES", scheduler ? "" : "run as root")];
        Assert.Equal(exitCode, DoctorCommand.Write(checks, new DoctorOptions(null, Json: false), _console));
        Assert.Equal(!scheduler, _console.Written.Contains("run as root", StringComparison.Ordinal));
        Assert.Equal(!scheduler, _console.Complained.Contains("without sched", StringComparison.Ordinal));
    }

    [Fact]
    public void A_tier_that_only_stands_in_for_a_better_one_may_be_missing()
    {
        StreamCheck[] checks = [new("sched", true, "opened", ""), new("sched (switch)", false, "EACCES", "lower it", Needed: false)];
        Assert.Equal(ExitCode.Ok, DoctorCommand.Write(checks, new DoctorOptions(null, Json: false), _console));
        Assert.Contains("lower it", _console.Written, StringComparison.Ordinal);
        Assert.Empty(_console.Complained);
    }

    [Fact]
    public void A_process_that_is_gone_or_is_not_dotnet_cannot_be_recorded()
    {
        var catalog = new ProcessCatalog(_root.Proc);
        var gone = Assert.Throws<CommandException>(() => catalog.RequireCapturable(1));
        Assert.Equal((ExitCode.Unreadable, true), (gone.ExitCode, gone.Message.StartsWith("there is no process 1;", StringComparison.Ordinal)));

        _root.Write($"/proc/{FakeRoot.Pid}/status", "Name:\tbash\nUid:\t0\t0\t0\t0\n".Replace("\t0", $"\t{Libc.EffectiveUserId()}", StringComparison.Ordinal));
        _root.Write($"/proc/{FakeRoot.Pid}/cmdline", "/bin/bash\0");
        var bash = Assert.Throws<CommandException>(() => catalog.RequireCapturable(FakeRoot.Pid));
        Assert.Equal((ExitCode.Unreadable, $"process {FakeRoot.Pid} (bash) is not a .NET process; `poolscope ps` lists those that can be recorded"), (bash.ExitCode, bash.Message));
    }

    [Fact]
    public void Diagnostics_turned_off_is_told_from_no_dotnet()
    {
        _root.Write($"/proc/{FakeRoot.Pid}/status", $"Uid:\t{Libc.EffectiveUserId()}\n");
        _root.Write($"/proc/{FakeRoot.Pid}/maps", "7f00-7f01 r-xp 0 08:01 12 /usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.12/libcoreclr.so\n");
        var refused = Assert.Throws<CommandException>(() => new ProcessCatalog(_root.Proc).RequireCapturable(FakeRoot.Pid));
        Assert.Equal(ExitCode.Unreadable, refused.ExitCode);
        Assert.Contains("DOTNET_EnableDiagnostics=0", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_runtime_that_does_not_answer_is_known_by_its_folder()
    {
        _root.Write($"/proc/{FakeRoot.Pid}/maps", "7f00-7f01 r-xp 0 08:01 12 /usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.12/libcoreclr.so\n");
        Assert.Equal(".NET 10.0.12", (await new ProcessCatalog(_root.Proc).DescribeAsync(FakeRoot.Pid)).Runtime);
        _root.Write($"/proc/{FakeRoot.Pid}/maps", "7f00-7f01 r-xp 0 08:01 12 /opt/selfcontained/libcoreclr.so\n");
        Assert.Null((await new ProcessCatalog(_root.Proc).DescribeAsync(FakeRoot.Pid)).Runtime);
    }

    [Fact]
    public async Task Decode_wants_a_capture()
    {
        var folder = Directory.CreateTempSubdirectory("poolscope-test-").FullName;
        foreach (var path in new[] { folder, Path.Combine(folder, "none") })
        {
            var refused = await Assert.ThrowsAsync<CommandException>(() => DecodeCommand.RunAsync(
                new DecodeOptions(path), _console, (_, _, _) => throw new InvalidOperationException("must not be asked"), CancellationToken.None));
            Assert.Equal(ExitCode.Unreadable, refused.ExitCode);
        }

        await File.WriteAllTextAsync(Path.Combine(folder, "capture.json"), "{}", TestContext.Current.CancellationToken);
        var broken = await Assert.ThrowsAsync<CommandException>(() => DecodeCommand.RunAsync(
            new DecodeOptions(folder), _console, (_, _, _) => throw new InvalidDataException("the stream is broken"), CancellationToken.None));
        Assert.Equal(ExitCode.Unreadable, broken.ExitCode);
        Assert.EndsWith("the stream is broken", broken.Message, StringComparison.Ordinal);
        Directory.Delete(folder, recursive: true);
    }

    public void Dispose() => _root.Dispose();
}
