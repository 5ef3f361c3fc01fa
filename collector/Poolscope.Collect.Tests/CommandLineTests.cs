using Poolscope.Collect.Commands;
using Poolscope.Collect.Commands.Collecting;
using Poolscope.Collect.Commands.Looking;
using Poolscope.Collect.Commands.Watching;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Terminal;
using Xunit;

namespace Poolscope.Collect.Tests;

public sealed class CommandLineTests
{
    private readonly RecordingConsole _console = new();
    private object? _options;

    [Fact]
    public async Task Collect_without_options_has_the_documented_defaults()
    {
        await RunAsync("collect", "-p", "4711");
        var expected = new CollectOptions { ProcessId = 4711 };
        Assert.Equal(expected, Assert.IsType<CollectOptions>(_options) with { Command = expected.Command });
        Assert.Equal(2L * 1024 * 1024 * 1024, expected.MaxBytes);
        Assert.Equal(256, expected.BufferMb);
        Assert.True(expected.Decode);
        Assert.True(expected.Waits);
        Assert.Equal(TimeSpan.FromSeconds(1), expected.Snapshots);
        Assert.Equal(KernelChoice.Auto, expected.Kernel);
        Assert.Equal((TimeSpan.FromMilliseconds(10), KernelScope.System), (expected.PollStep, expected.Scope));
    }

    [Fact]
    public async Task Every_option_of_collect_is_taken_in_its_long_and_short_form()
    {
        await RunAsync(
            "collect", "--name", "app", "--output", "here", "--duration", "00:00:01:30", "--kernel", "none", "--max-size", "500MB", "--buffersize", "64", "--snapshots", "0.25", "--poll-step", "5", "--scope", "target", "--no-waits", "--no-decode");
        var options = Assert.IsType<CollectOptions>(_options);
        Assert.Equal("app", options.Name);
        Assert.Equal("here", options.Output);
        Assert.Equal(TimeSpan.FromSeconds(90), options.Duration);
        Assert.Equal(KernelChoice.None, options.Kernel);
        Assert.Equal(500L << 20, options.MaxBytes);
        Assert.Equal(64, options.BufferMb);
        Assert.Equal(TimeSpan.FromMilliseconds(250), options.Snapshots);
        Assert.Equal((TimeSpan.FromMilliseconds(5), KernelScope.Target), (options.PollStep, options.Scope));
        Assert.False(options.Decode);
        Assert.False(options.Waits);

        await RunAsync("collect", "-n", "other", "-o", "there");
        Assert.Equal(("other", "there"), (((CollectOptions)_options!).Name, ((CollectOptions)_options).Output));
    }

    [Fact]
    public async Task Watch_has_the_documented_defaults_and_takes_every_option()
    {
        await RunAsync("watch", "-n", "app");
        var defaults = Assert.IsType<WatchOptions>(_options);
        Assert.Equal("wait>5s or starvation", defaults.When.Text);
        Assert.Equal((TimeSpan.FromSeconds(60), TimeSpan.FromSeconds(30), 5), (defaults.Before, defaults.After, defaults.Keep));
        Assert.Equal((4L << 30, KernelScope.Target, "poolscope-watch"), (defaults.MaxBytes, defaults.Scope, defaults.Output));
        Assert.True(defaults is { Decode: true, Json: false, Exec: null, Kernel: KernelChoice.Auto });

        await RunAsync(
            "watch", "-p", "4711", "--when", "queue>9 for 2s or starvation", "--before", "90s", "--after", "1min", "--keep", "3", "-o", "here", "--max-size", "1GB", "--exec", "notify", "--json", "--kernel", "none", "--scope", "system", "--snapshots", "0", "--no-decode");
        var options = Assert.IsType<WatchOptions>(_options);
        Assert.Equal((4711, 2), (options.ProcessId, options.When.Terms.Count));
        Assert.Equal((TimeSpan.FromSeconds(90), TimeSpan.FromMinutes(1), 3), (options.Before, options.After, options.Keep));
        Assert.Equal((1L << 30, KernelScope.System, "here"), (options.MaxBytes, options.Scope, options.Output));
        Assert.True(options is { Decode: false, Json: true, Exec: "notify", Kernel: KernelChoice.None });
        Assert.Equal(TimeSpan.Zero, options.Snapshots);
    }

    [Fact]
    public async Task A_watcher_shows_and_serves_nothing_unless_it_is_asked()
    {
        await RunAsync("watch", "-n", "app");
        Assert.True(Assert.IsType<WatchOptions>(_options) is { Live: false, Metrics: null });
        await RunAsync("watch", "-n", "app", "--live", "--metrics", "9464");
        Assert.True(Assert.IsType<WatchOptions>(_options) is { Live: true, Metrics: { Port: 9464 } address } && System.Net.IPAddress.IsLoopback(address.Address));
    }

    [Fact]
    public async Task Top_has_the_documented_defaults_and_takes_every_option()
    {
        await RunAsync("top", "-n", "app");
        Assert.Equal(new TopOptions { Name = "app" }, _options);
        await RunAsync("top", "-p", "4711", "--duration", "1m", "--json");
        Assert.Equal(new TopOptions { ProcessId = 4711, Duration = TimeSpan.FromMinutes(1), Json = true }, _options);
        Assert.Empty(_console.Complained);
    }

    [Fact]
    public async Task The_old_name_of_an_option_works_with_a_line_that_names_the_new_one()
    {
        await RunAsync("top", "-n", "app", "--seconds", "60");
        Assert.Equal(new TopOptions { Name = "app", Duration = TimeSpan.FromMinutes(1) }, _options);
        Assert.Equal("warning: --seconds is now --duration, and the next release removes it: --duration 60s" + Environment.NewLine, _console.Complained);
    }

    [Fact]
    public async Task Every_option_that_takes_a_duration_or_a_size_takes_all_forms_of_it()
    {
        await RunAsync("collect", "-p", "1", "--duration", "1m30s", "--snapshots", "500ms", "--poll-step", "5ms", "--buffersize", "1GB", "--max-size", "64MiB");
        var options = Assert.IsType<CollectOptions>(_options);
        Assert.Equal((TimeSpan.FromSeconds(90), TimeSpan.FromMilliseconds(500), TimeSpan.FromMilliseconds(5)), (options.Duration, options.Snapshots, options.PollStep));
        Assert.Equal((1024, 64L << 20), (options.BufferMb, options.MaxBytes));
        await RunAsync("watch", "-n", "a", "--before", "1m30s", "--after", "00:00:30", "--snapshots", "1m", "--when", "wait>1m30s");
        var watch = Assert.IsType<WatchOptions>(_options);
        Assert.Equal((TimeSpan.FromSeconds(90), TimeSpan.FromSeconds(30), TimeSpan.FromMinutes(1)), (watch.Before, watch.After, watch.Snapshots));
    }

    [Fact]
    public void Where_poolscope_called_its_own_verbs_are_named_and_alone_those_of_this_program()
    {
        const string text = "run: poolscope decode here, or poolscope report here; sudo poolscope ...; see my-poolscope look, poolscope looks";
        Assert.Equal("run: poolscope-collect decode here, or poolscope report here; sudo poolscope-collect ...; see my-poolscope look, poolscope looks", CommandName.NamedAlone(text));
        Assert.Equal("poolscope-collect", CommandName.Own);
    }

    [Fact]
    public async Task Look_takes_a_process_or_a_dump()
    {
        await RunAsync("look", "-p", "4711", "--json", "--dac", "x.so");
        Assert.Equal(new LookOptions { ProcessId = 4711, Json = true, Dac = "x.so" }, _options);
        await RunAsync("look", "core.4711");
        Assert.Equal(new LookOptions { Dump = "core.4711" }, _options);
    }

    [Fact]
    public async Task Labels_are_what_stands_before_and_after_the_first_equals_sign()
    {
        await RunAsync("collect", "-p", "1", "--label", "service=shop", "--label", "query=a=b");
        var labels = Assert.IsType<CollectOptions>(_options).Labels;
        Assert.Equal(["shop", "a=b"], [labels["service"], labels["query"]]);
        await RunAsync("watch", "-n", "app", "--label", "version=1.2");
        Assert.Equal("1.2", Assert.IsType<WatchOptions>(_options).Labels["version"]);
    }

    [Fact]
    public async Task What_stands_behind_the_dashes_belongs_to_the_command()
    {
        await RunAsync("collect", "--kernel", "tracepoint", "--", "dotnet", "app.dll", "-p", "1", "--help", "--", "@file");
        Assert.Equal(["dotnet", "app.dll", "-p", "1", "--help", "--", "@file"], Assert.IsType<CollectOptions>(_options).Command);
        Assert.Null(((CollectOptions)_options!).ProcessId);
    }

    [Theory]
    [InlineData("", "say what to do: ps, doctor, look, top, collect, watch, recipe, decode")]
    [InlineData("bogus", "there is no verb bogus")]
    [InlineData("--bogus", "there is no option --bogus")]
    [InlineData("record -p 1", "record also analyses, which needs the command poolscope; here, collect records: poolscope-collect collect")]
    [InlineData("report x", "copy the capture to a machine with poolscope, and run there: poolscope report CAPTURE")]
    [InlineData("collect dotnet app.dll", "put -- before the command: poolscope-collect collect -- dotnet app.dll")]
    [InlineData("collect dotnet app.dll --urls x", "put -- before the command: poolscope-collect collect -- dotnet app.dll --urls x")]
    [InlineData("collect --bogus", "there is no option --bogus")]
    [InlineData("collect -p", "-p")]
    [InlineData("collect --durration 5s -p 1", "there is no option --durration; did you mean --duration? (see poolscope-collect collect --help)")]
    [InlineData("look --no-such", "there is no option --no-such (see")]
    [InlineData("decode x --no-such", "there is no option --no-such (see")]
    [InlineData("watch -n a --maxsize=1GB", "there is no option --maxsize=1GB; did you mean --max-size?")]
    [InlineData("collect -p x", "-p takes the id of a process, not x")]
    [InlineData("collect -p 0", "-p takes the id of a process, not 0")]
    [InlineData("collect -p 1 --duration soon", "--duration takes a time such as 30s, 5m, 1h30m or 300 (seconds), up to 49 days, not soon")]
    [InlineData("collect -p 1 --duration 0", "--duration")]
    [InlineData("collect -p 1 --max-size 9MB", "--max-size takes a size of at least 10MB")]
    [InlineData("collect -p 1 --buffersize 0", "--buffersize takes 1MB to 16GB, such as 256MB or 256 (MB), not 0")]
    [InlineData("collect -p 1 --snapshots 0.01", "--snapshots takes 50ms to 1h, such as 500ms or 2 (seconds), or 0, not 0.01")]
    [InlineData("collect -p 1 --activities a/b", "--activities takes the name of an ActivitySource, or *, not a/b")]
    [InlineData("collect -p 1 --label service", "--label takes key=value, the key of 1 to 64 of a-z, 0-9, _, . and -, not service")]
    [InlineData("collect -p 1 --label Service=shop", "not Service=shop")]
    [InlineData("collect -p 1 --label service=", "--label service: its value has 1 to 256 characters")]
    [InlineData("watch -n a --label host=a --label host=b", "--label host is given twice")]
    [InlineData("collect -p 1 --scope process", "--scope is system or target, not process")]
    [InlineData("collect -p 1 --poll-step 0", "--poll-step takes 1ms to 1s, such as 10ms or 10 (milliseconds), not 0")]
    [InlineData("collect -p 1 --poll-step 1001", "--poll-step takes 1ms to 1s, such as 10ms or 10 (milliseconds), not 1001")]
    [InlineData("collect -p 1 --kernel best", "--kernel is auto, tracepoint, switch, schedstat, etw or none, not best")]
    [InlineData("watch -p x", "-p takes the id of a process, not x")]
    [InlineData("watch -n a --when wait>5", "--when: wait is compared with a duration and its unit")]
    [InlineData("watch -n a --when request>5min", "--when: request is compared with less than 5m,")]
    [InlineData("watch -n a --before 500ms", "--before takes 1s to 1h with its unit, such as 90s or 5m, not 500ms")]
    [InlineData("watch -n a --after 60", "--after takes 1s to 1h with its unit")]
    [InlineData("watch -n a --keep 0", "--keep takes 1 to 1000 captures, not 0")]
    [InlineData("watch -n a --max-size 39MB", "--max-size takes a size of at least 40MB")]
    [InlineData("watch -n a b", "got unexpected extra argument (b)")]
    [InlineData("watch -n a --metrics 0", "--metrics takes a port, or an address of this machine and a port, such as 9464 or 127.0.0.1:9464, not 0")]
    [InlineData("watch -n a --metrics *:9464", "not *:9464")]
    [InlineData("watch -n a --live --json", "--live and --json exclude each other")]
    [InlineData("top -p x", "-p takes the id of a process, not x")]
    [InlineData("top -n a --duration 0", "--duration takes a time such as 30s, 5m, 1h30m or 300 (seconds), up to 49 days, not 0")]
    [InlineData("top -n a --seconds 0", "--seconds takes 1 to 1000000, not 0")]
    [InlineData("top -n a --seconds 1.5", "--seconds takes 1 to 1000000, not 1.5")]
    [InlineData("top -n a b", "b")]
    [InlineData("ps extra", "extra")]
    [InlineData("decode", "capture")]
    [InlineData("decode a b", "b")]
    [InlineData("decode a.etl -p x", "-p takes the id of a process, not x")]
    [InlineData("recipe", "perfview")]
    [InlineData("recipe xperf", "argument 'xperf' not recognized. Must be one of: 'dotnet-trace' 'perf' 'perfview' (see")]
    public async Task A_wrong_command_line_is_one_line_and_exit_code_2(string line, string complaint)
    {
        Assert.Equal(ExitCode.Usage, await RunAsync(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)));
        Assert.Null(_options);
        Assert.Contains(complaint, _console.Complained, StringComparison.Ordinal);
        Assert.StartsWith("poolscope-collect: ", _console.Complained, StringComparison.Ordinal);
        Assert.Single(_console.Complained.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.Empty(_console.Written);
    }

    [Theory]
    [InlineData("--help")]
    [InlineData("ps --help")]
    [InlineData("doctor --help")]
    [InlineData("collect --help")]
    [InlineData("watch --help")]
    [InlineData("top --help")]
    [InlineData("look --help")]
    [InlineData("decode --help")]
    [InlineData("recipe --help")]
    public async Task Help_ends_with_examples_that_parse(string line)
    {
        Assert.Equal(ExitCode.Ok, await RunAsync(line.Split(' ')));
        var examples = _console.Written[_console.Written.IndexOf("Examples:", StringComparison.Ordinal)..]
            .Split('\n', StringSplitOptions.RemoveEmptyEntries)[1..];
        Assert.NotEmpty(examples);
        foreach (var example in examples)
        {
            // The text after a wide gap is a description; the text after a bar is another program.
            var words = example.Trim().Split("   ")[0].Split('|')[0].Split(' ', StringSplitOptions.RemoveEmptyEntries);
            Assert.Equal("poolscope-collect", words[0]);
            _options = null;
            Assert.Equal(ExitCode.Ok, await RunAsync(words[1..]));
            Assert.NotNull(_options);
        }
    }

    [Theory]
    [InlineData("auto", KernelChoice.Auto)]
    [InlineData("tracepoint", KernelChoice.Tracepoint)]
    [InlineData("switch", KernelChoice.Switch)]
    [InlineData("etw", KernelChoice.Etw)]
    [InlineData("schedstat", KernelChoice.Schedstat)]
    [InlineData("none", KernelChoice.None)]
    public async Task Each_kernel_tier_has_its_word(string word, KernelChoice expected)
    {
        await RunAsync("collect", "-p", "1", "--kernel", word);
        Assert.Equal(expected, Assert.IsType<CollectOptions>(_options).Kernel);
    }

    [Fact]
    public async Task A_fault_of_ours_is_exit_code_5_and_a_users_mistake_its_own_without_a_stack()
    {
        var failing = new VerbActions(
            _ => throw new InvalidOperationException("bug"), _ => throw new CommandException(ExitCode.Unreadable, "line one\nline two"), Keep, Keep);
        Assert.Equal(ExitCode.Internal, await CommandRunner.RunAsync(["ps"], _console, failing));

        var console = new RecordingConsole();
        Assert.Equal(ExitCode.Unreadable, await CommandRunner.RunAsync(["doctor"], console, failing));
        Assert.Equal("poolscope-collect: line one line two" + Environment.NewLine, console.Complained);
    }

    /// <summary>As with `env` and `timeout`, a code below 125 would look like the command's own.</summary>
    [Theory]
    [InlineData(ExitCode.Usage, ExitCode.Usage, ExitCode.CouldNot)]
    [InlineData(ExitCode.Unreadable, ExitCode.CouldNot, ExitCode.CouldNot)]
    [InlineData(ExitCode.NotRunnable, ExitCode.NotRunnable, ExitCode.CouldNot)]
    [InlineData(ExitCode.NotFound, ExitCode.NotFound, ExitCode.CouldNot)]
    [InlineData(ExitCode.CouldNot, ExitCode.CouldNot, ExitCode.CouldNot)]
    [InlineData(ExitCode.Interrupted, ExitCode.Interrupted, ExitCode.Interrupted)]
    public void With_a_command_what_fails_is_125_unless_it_is_said_of_the_command_line(int code, int before, int started)
    {
        var failed = new CommandException(code, "why");
        Assert.Equal((before, started), (failed.WithCommand().ExitCode, failed.OfStartedCommand().ExitCode));
        Assert.Equal("why", failed.OfStartedCommand().Message);
    }

    private Task<int> RunAsync(params string[] arguments) => CommandRunner.RunAsync(arguments, _console, new VerbActions(Keep, Keep, Keep, Keep) { Recipe = Keep, Watch = Keep, Top = Keep, Look = Keep });

    private Task<int> Keep(object options)
    {
        _options = options;
        return Task.FromResult(ExitCode.Ok);
    }
}
