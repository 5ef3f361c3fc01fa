using System.Diagnostics.Tracing;
using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.Decode.Stacks;
using Poolscope.Tables;
using Xunit;

namespace Poolscope.Decode.Tests.Live;

/// <summary>Stacks of this process, named by a rundown in another file, as after attaching to a process.</summary>
[Collection(nameof(LiveTests))]
[Trait("live", "yes")]
public sealed class StackLiveTests
{
    private const int Waits = 101;
    private const string Clr = "Microsoft-Windows-DotNETRuntime";
    private static int s_waitLine;

    [Trait("smoke", "yes")]
    [Fact]
    public void Every_wait_names_the_method_that_waited()
    {
        var folder = Directory.CreateTempSubdirectory("poolscope-stacks");
        try
        {
            var waits = Record(folder, "waits.nettrace", stacks: true, rundown: false, BlockHere);
            var symbols = Record(folder, "symbols.nettrace", stacks: false, rundown: true, () => { });
            var methods = new MethodMap();
            NettraceReader.Read(symbols, StreamBounds.None, new MethodEvents(methods).Decode, cancellation: TestContext.Current.CancellationToken);
            using var lines = new SourceLines();
            var tables = new StackTables(new FrameNames(methods, native: null, lines));
            var found = 0;

            NettraceStackReader.Read(
                waits,
                StreamBounds.None,
                (kind, _, _, stack) =>
            {
                if (kind is { Provider: Clr, EventId: 301 } && Names(tables, tables.Intern(stack)).Any(name => name.EndsWith(nameof(BlockHere), StringComparison.Ordinal)))
                {
                    found++;
                }
            },
            TestContext.Current.CancellationToken);
            Assert.Equal(Waits, found);
            Assert.Equal([$"{nameof(StackLiveTests)}.cs:{s_waitLine} executed"], LinesOf(tables.Frames, nameof(BlockHere)));
            // A block that the cut divides gives nothing, so two parts may give equally many stacks.
            var ofParts = new[] { 0.0, 0.3, 0.6, 0.9, 1.0 }.Select(part => ReadPart(waits, part)).ToArray();
            Assert.Equal(ofParts.Order(), ofParts);
            Assert.Equal(0, ofParts[0]);
            Assert.True(ofParts[^1] >= Waits);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
    private static void BlockHere()
    {
        using var never = new ManualResetEvent(initialState: false);
        for (var i = 0; i < Waits; i++)
        {
            never.WaitOne(1);
        }

        s_waitLine = LineOfThisCall() - 3;
    }

    private static int LineOfThisCall([System.Runtime.CompilerServices.CallerLineNumber] int line = 0) => line;

    /// <summary>Returns every source line of a method in the stacks.</summary>
    private static IEnumerable<string> LinesOf(Table frames, string method) => Enumerable.Range(0, frames.Count)
        .Where(row => frames.String("method")[row]?.EndsWith("." + method, StringComparison.Ordinal) == true)
        .Select(row => $"{Path.GetFileName(frames.String("file")[row])}:{frames.Int32("line")[row]} {(frames.Enum("line_is")[row] == 1 ? "executed" : "not known")}");

    /// <summary>Reads a part of a file. A file that a crash cut gives the stacks that it has, and does not
    /// throw.</summary>
    private static int ReadPart(string path, double part)
    {
        var stacks = 0;
        var cut = path + ".cut";
        var bytes = File.ReadAllBytes(path);
        File.WriteAllBytes(cut, bytes[..(int)(bytes.Length * part)]);
        NettraceStackReader.Read(cut, StreamBounds.None, (_, _, _, _) => stacks++);
        return stacks;
    }

    private static IEnumerable<string> Names(StackTables tables, int node)
    {
        for (; node >= 0; node = tables.Stacks.Int32("parent")[node])
        {
            yield return tables.Frames.String("method")[tables.Stacks.Int32("frame")[node]] ?? "";
        }
    }

    private static string Record(DirectoryInfo folder, string name, bool stacks, bool rundown, Action work)
    {
        var path = Path.Combine(folder.FullName, name);
        var configuration = new EventPipeSessionConfiguration(
            [new EventPipeProvider(Clr, EventLevel.Verbose, stacks ? 0x400_0000_0000 : 0x8)], 64, rundown, stacks);
        using var session = new DiagnosticsClient(Environment.ProcessId).StartEventPipeSession(configuration);
        var writer = new Thread(() =>
        {
            using var file = File.Create(path);
            session.EventStream.CopyTo(file);
        });
        writer.Start();
        work();
        session.Stop();
        writer.Join();
        return path;
    }
}
