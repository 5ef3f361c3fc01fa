using System.Buffers.Binary;
using Poolscope.PerfEvents.Capture.Events;
using Poolscope.PerfEvents.Capture.Writing;
using Poolscope.PerfEvents.Format;
using Xunit;

namespace Poolscope.PerfEvents.Tests;

/// <summary>Records that one thread takes in and another one writes.</summary>
public sealed class WriteBehindTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-behind").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Every_record_is_in_the_file_in_order_whatever_their_lengths()
    {
        var path = Path.Combine(_folder, SchedulerRecording.DataFileName);
        using var writer = new PerfDataWriter(path, [new RecordedEvent("dummy", SchedulerEvents.Dummy().Attr, [1], null)]);
        using var behind = new WriteBehind(writer);
        behind.Start();
        var random = new Random(5);
        var record = new byte[WriteBehind.MostRecordBytes];
        var lengths = Enumerable.Range(0, 3000).Select(_ => 8 * random.Next(1, WriteBehind.MostRecordBytes / 8)).ToList();
        for (var i = 0; i < lengths.Count; i++)
        {
            BinaryPrimitives.WriteInt32LittleEndian(record, i);
            behind.Append(record.AsSpan(0, lengths[i]));
            if (i % 7 == 0)
            {
                behind.Push();
            }
        }

        Assert.Equal(writer.DataOffset + lengths.Sum(n => (long)n), behind.Position);
        Assert.Null(behind.Finish());
        Assert.Equal(behind.Position, new FileInfo(path).Length);
        using var file = File.OpenRead(path);
        file.Position = writer.DataOffset;
        for (var i = 0; i < lengths.Count; i++)
        {
            file.ReadExactly(record.AsSpan(0, lengths[i]));
            Assert.Equal(i, BinaryPrimitives.ReadInt32LittleEndian(record));
        }
    }
}
