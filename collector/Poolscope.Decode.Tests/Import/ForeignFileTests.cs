using System.Text;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Import;
using Xunit;

namespace Poolscope.Decode.Tests.Import;

public sealed class ForeignFileTests : IDisposable
{
    private readonly ForeignFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Fact]
    public void A_file_of_dotnet_trace_is_taken() => ForeignFile.RequireNettrace(_files.Trace);

    [Theory]
    [InlineData("a.nettrace", "", "is empty")]
    [InlineData("a.nettrace", "Nettrace\u0014\0\0", "ends before its header")]
    [InlineData("a.nettrace", "Nettrace\0\0\0\0\u0007\0\0\0\0\0\0\0", "version 7 of the nettrace format; versions 4, 5 and 6 are read")]
    [InlineData("b.nettrace", "Nettrace\0\0\0\0\u0001\0\0\0\0\0\0\0", "version 1 of the nettrace format")]
    [InlineData("a.netperf", "\u0014\0\0\0!FastSerialization.1", ".netperf file, which .NET Core 2 wrote")]
    [InlineData("a.nettrace", "\u0014\0\0\0!FastSerialization.1", "another of TraceEvent's formats")]
    [InlineData("a.gcdump", "\u0014\0\0\0!FastSerialization.1\u0004\u0004\u0001\n\0\0\0\u0008\0\0\0\n\0\0\0GCHeapDump", "dotnet-gcdump")]
    [InlineData("core.4711", "\u007fELF\u0002\u0001\u0001\0\0\0\0\0\0\0\0\0\u0004\0", "memory dump")]
    [InlineData("w.dmp", "MDMP", "dotnet-dump analyze")]
    [InlineData("c.csv", "Timestamp,Provider,Counter Name,Counter Type,Mean/Increment", "dotnet-counters")]
    [InlineData("c.json", "{ \"TargetProcess\": \"a\"", "dotnet-counters")]
    [InlineData("perf.data", "PERFILE2hhhhhhhh", "--scheduler")]
    [InlineData("a.trace.zip", "PK\u0003\u0004", "archive of perfcollect")]
    [InlineData("a.zip", "PK\u0003\u0004", "unpack it")]
    [InlineData("a.nettrace.gz", "\u001f\u008b\u0008", "packed with gzip")]
    [InlineData("a.speedscope.json", "{\"exporter\"", "dotnet-trace convert")]
    [InlineData("perf.txt", "    swapper     0 [001] 64540.338237: sched:sched_switch: prev_comm=a", "--scheduler sched.txt")]
    [InlineData("perf.txt", "app 123/124 64540.338237123: sched:sched_switch:", "--scheduler sched.txt")]
    [InlineData("core2.netperf", "\u0014\0\0\0!FastSerialization.1", "on .NET 8 or newer")]
    [InlineData("renamed", "\u0014\0\0\0!FastSerialization.1\u0004\u0004\u0001\u0003\0\0\0\0\0\0\0\u0005\0\0\0Trace", ".netperf file, which .NET Core 2 wrote")]
    [InlineData("a.nettrace", "<!DOCTYPE html><html>", "a web page")]
    [InlineData("stack.txt", "Thread (0x28D3):\n  [Native Frames]\n  System.Private.CoreLib!System.Threading.Monitor.Wait(class System.Object,int32)\n", "stacks of dotnet-stack")]
    [InlineData("notes.txt", "Dear all, at 12:30 the service was slow.", "neither a capture nor a trace")]
    public void Another_file_is_refused_by_what_it_is(string name, string content, string expected)
    {
        var path = _files.PathOf(name);
        File.WriteAllBytes(path, Encoding.Latin1.GetBytes(content));
        var refused = Assert.Throws<CaptureRefusedException>(() => ForeignFile.RequireNettrace(path));
        Assert.Contains(expected, refused.Message, StringComparison.Ordinal);
        Assert.StartsWith(path, refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void An_archive_of_tar_is_none_of_its_files()
    {
        var path = _files.PathOf("trace.tar");
        var tar = new byte[1024];
        Encoding.Latin1.GetBytes("trace.nettrace").CopyTo(tar, 0);
        Encoding.Latin1.GetBytes("ustar").CopyTo(tar, 257);
        Encoding.Latin1.GetBytes("Nettrace").CopyTo(tar, 512);
        File.WriteAllBytes(path, tar);
        Assert.Contains("an archive of tar: unpack it", Assert.Throws<CaptureRefusedException>(() => ForeignFile.RequireNettrace(path)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void What_is_packed_is_named_in_the_command_that_reads_it()
    {
        var path = _files.PathOf("sent.zip");
        File.WriteAllBytes(path, "PK\u0003\u0004"u8.ToArray());
        Assert.EndsWith($"poolscope report {path}", Assert.Throws<CaptureRefusedException>(() => ForeignFile.RequireNettrace(path)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_pipe_is_refused_without_waiting_for_a_writer()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "named pipes are files on Unix only");
        var path = _files.PathOf("pipe");
        using (var made = System.Diagnostics.Process.Start("mkfifo", path))
        {
            await made.WaitForExitAsync(TestContext.Current.CancellationToken);
        }

        var refused = Task.Run(() => Assert.Throws<CaptureRefusedException>(() => ForeignFile.RequireNettrace(path)), TestContext.Current.CancellationToken);
        Assert.Contains("pipe", (await refused.WaitAsync(TimeSpan.FromSeconds(10), TestContext.Current.CancellationToken)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_file_that_is_not_there_cannot_be_read() =>
        Assert.Contains("cannot be read", Assert.Throws<DecodeException>(() => ForeignFile.RequireNettrace(_files.PathOf("none"))).Message, StringComparison.Ordinal);
}
