using System.Buffers.Binary;
using Poolscope.Decode.Import;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.Etw.Capture;
using Xunit;

namespace Poolscope.Decode.Tests.Import;

/// <summary>Files of older runtimes, made from one that .NET 10.0.12 wrote by changing its version or the ids of its
/// work items.</summary>
public sealed class OldRuntimeTests : IDisposable
{
    private const string Pool = "a known pool";
    private const string Ids = "stable ids";
    private const long Address = 0x7f12_0000_0000;

    private readonly ForeignFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Theory]
    [InlineData(3, true)]
    [InlineData(5, true)]
    [InlineData(6, false)]
    [InlineData(8, false)]
    public void Before_net_6_the_pool_is_another_one(byte major, bool other)
    {
        // Sku CoreCLR, then major, minor, build and revision of the class library: u16 each.
        byte[] ten = [2, 0, 10, 0, 0, 0, 12, 0];
        ForeignFiles.Change(_files.Trace, bytes => Replaced(bytes, ten, [2, 0, major, 0, 0, 0, 12, 0]));
        Assert.Equal(other, Wanted().Contains(Pool));
        Assert.DoesNotContain(Ids, Wanted());
    }

    [Fact]
    public void Ids_wider_than_a_hash_code_are_addresses()
    {
        Assert.DoesNotContain(Ids, Wanted());
        foreach (var id in WorkIds())
        {
            ForeignFiles.Change(_files.Trace, bytes => Replaced(bytes, Bytes(id), Bytes(id + Address)));
        }

        Assert.Contains(Ids, Wanted());
        Assert.DoesNotContain(Pool, Wanted());
    }

    private static byte[] Bytes(long id)
    {
        var bytes = new byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, id);
        return bytes;
    }

    private static byte[] Replaced(byte[] bytes, ReadOnlySpan<byte> old, ReadOnlySpan<byte> now)
    {
        var found = 0;
        for (var at = 0; bytes.AsSpan(at).IndexOf(old) is var next and >= 0; at += next + old.Length, found++)
        {
            now.CopyTo(bytes.AsSpan(at + next));
        }

        Assert.NotEqual(0, found);
        return bytes;
    }

    private ForeignRecording Opened() => NettraceImport.Open(_files.Trace, null, null, TestContext.Current.CancellationToken);

    private HashSet<string> Wanted() => [.. ForeignGaps.Of(Opened()).Select(gap => gap.Wanted)];

    private HashSet<long> WorkIds()
    {
        var framework = Microsoft.Diagnostics.Tracing.Session.TraceEventProviders.GetEventSourceGuidFromName(RuntimeEvents.Framework);
        var ids = new HashSet<long>();
        NettraceReader.Read(_files.Trace, StreamBounds.None, (in RawEvent e) =>
        {
            if (e.Provider == framework && e.Id is (30 or 31))
            {
                ids.Add(BinaryPrimitives.ReadInt64LittleEndian(e.Payload));
            }
        });
        return ids;
    }
}
