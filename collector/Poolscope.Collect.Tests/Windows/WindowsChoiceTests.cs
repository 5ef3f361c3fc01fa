using Poolscope.Collect.Commands.Collecting;
using Poolscope.Collect.Kernel;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Windows;
using Xunit;

namespace Poolscope.Collect.Tests.Windows;

/// <summary>The way in which a recording on Windows is made.</summary>
public sealed class WindowsChoiceTests
{
    [Theory]
    [InlineData(KernelChoice.Auto, false, null)]
    [InlineData(KernelChoice.Auto, true, null)]
    [InlineData(KernelChoice.None, false, null)]
    [InlineData(KernelChoice.None, true, null)]
    [InlineData(KernelChoice.Etw, true, null)]
    [InlineData(KernelChoice.Etw, false, "ETW's kernel events need an administrator")]
    [InlineData(KernelChoice.Switch, true, "--kernel switch needs Linux")]
    [InlineData(KernelChoice.Schedstat, false, "--kernel schedstat needs Linux")]
    public void Only_what_was_asked_for_by_name_is_refused(KernelChoice kernel, bool elevated, string? begin) =>
        Expect(begin, new CollectOptions { ProcessId = 1, Kernel = kernel }, elevated);

    [Theory]
    [InlineData(KernelChoice.Auto, false, true)]
    [InlineData(KernelChoice.None, true, true)]
    [InlineData(KernelChoice.Auto, true, false)]
    [InlineData(KernelChoice.Etw, true, false)]
    public void Labels_and_activities_go_with_EventPipe(KernelChoice kernel, bool elevated, bool taken)
    {
        Expect(taken ? null : "--activities: the ETW session has no", new CollectOptions { Kernel = kernel, Activities = ["*"] }, elevated);
        Expect(taken ? null : "--label: a capture by ETW", new CollectOptions { Kernel = kernel, Labels = new Dictionary<string, string> { ["a"] = "b" } }, elevated);
    }

    [Fact]
    public void The_tier_of_ETW_says_why_there_is_none_beside_EventPipe()
    {
#pragma warning disable CA1416 // the failure is an argument, so this calls no Windows API
        var tier = new EtwTier("Windows opened no ETW session: no more of them");
        var refused = Assert.Throws<KernelRefusedException>(() => tier.Start(new KernelRequest(".", 1, 1, TimeSpan.Zero, OnlyTarget: false, Sockets: false)));
#pragma warning restore CA1416
        Assert.Equal("Windows opened no ETW session: no more of them", refused.Why);
        Assert.Contains("recipe perfview", refused.How, StringComparison.Ordinal);
    }

    /// <summary>A path under Wine may lead to Linux's /proc, where the ids are of other processes.</summary>
    [Fact]
    public void No_file_of_proc_is_read_on_Windows()
    {
        Assert.SkipUnless(OperatingSystem.IsWindows(), "this is not Windows");
        Assert.Null(ProcFs.System.ReadText("/proc/stat"));
        Assert.Empty(ProcFs.System.CommandLine(Environment.ProcessId));
        Assert.True(ProcFs.System.IsAlive(Environment.ProcessId));
    }

    private static void Expect(string? begin, CollectOptions options, bool elevated)
    {
#pragma warning disable CA1416 // calls no Windows API
        var complaint = WindowsCollectCommand.Complaint(options, elevated);
#pragma warning restore CA1416
        Assert.Equal(begin is null, complaint is null);
        Assert.StartsWith(begin ?? "", complaint ?? "", StringComparison.Ordinal);
    }
}
