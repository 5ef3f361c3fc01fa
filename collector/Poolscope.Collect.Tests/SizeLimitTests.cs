using Poolscope.Collect.Errors;
using Poolscope.Collect.Files;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Recording;
using Poolscope.PerfEvents.Linux;
using Xunit;

namespace Poolscope.Collect.Tests;

public sealed class SizeLimitTests
{
    private const long Most = 8_000;

    [Theory]
    [InlineData(true, 1_750)] // 7,000 bytes are allowed, and each byte of the stream adds three of tables
    [InlineData(false, 7_000)]
    public void Tables_count_where_they_will_be_made(bool tables, int room)
    {
        var limit = new SizeLimit(Most, tables);
        Assert.True(limit.TryTake(room, 3));
        Assert.False(limit.Refused);
        Assert.False(limit.TryTake(1, 3));
        Assert.True(limit.Refused);
        Assert.Equal(limit.Most, limit.Taken);
    }

    [Fact]
    public void What_the_kernel_wrote_is_room_that_the_others_have_not()
    {
        var limit = new SizeLimit(Most, tables: true);
        limit.SetKernel(2_000, 4_000);
        Assert.False(limit.TryTake(1_001, 0));
        Assert.True(limit.TryTake(1_000, 0));
        limit.Return(1_000, 0);
        Assert.Equal(6_000, limit.Taken);
    }

    [Fact]
    public void The_kernels_stream_leaves_room_for_its_tables()
    {
        var limit = new SizeLimit(Most, tables: true);
        Assert.InRange(limit.MostOfKernel + TableSize.OfKernel(limit.MostOfKernel, 0, ""), Most * 0.9, Most);
        Assert.Equal(Most, new SizeLimit(Most, tables: false).MostOfKernel);
    }

    [Theory]
    [InlineData(32UL, true)]
    [InlineData(1024UL, false)]
    public void Too_few_open_files_are_refused_before_anything_is_begun(ulong limit, bool refused)
    {
        var said = Record.Exception(() => OpenFileLimit.Require(limit));
        Assert.Equal(refused, said is CommandException { ExitCode: ExitCode.Unreadable });
        Assert.Equal(refused, said?.Message.Contains($"ulimit -n {OpenFileLimit.Needed}", StringComparison.Ordinal) == true);
    }

    [Theory]
    [InlineData(0b111_101_101, true)]
    [InlineData(0b111_000_000, false)]
    public void Root_is_given_up_only_where_the_user_reaches_what_is_needed(int mode, bool reached)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "no sudo there");
        var folder = Directory.CreateTempSubdirectory("poolscope-test-").FullName;
        var inner = Path.Combine(folder, "inner");
        Directory.CreateDirectory(inner);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(folder, (UnixFileMode)mode);
        }

        var stranger = new Invoker(Libc.OwnerOf(folder)!.Value + 1, 0);
        Assert.Equal(reached, stranger.Reaches(inner));
        Directory.Delete(folder, recursive: true);
    }

    [Theory]
    [InlineData(0u, "1000", "1000", true)]
    [InlineData(0u, "0", "0", false)]
    [InlineData(0u, null, null, false)]
    [InlineData(0u, "1000", "x", false)]
    [InlineData(1000u, "1000", "1000", false)]
    public void A_capture_is_given_to_who_typed_sudo(uint self, string? user, string? group, bool given) =>
        Assert.Equal(given ? new Invoker(1000, 1000) : (Invoker?)null, Invoker.Find(self, user, group));
}
