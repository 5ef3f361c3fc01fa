using Poolscope.Etl.Format;
using Poolscope.Fuzz.Corpus;
using Xunit;

namespace Poolscope.Etl.Tests;

/// <summary>Events come in order of time, wherever their buffers lie, and missing ones are reported.</summary>
public sealed class OrderTests
{
    private const long First = 100_000_000;

    [Theory]
    [InlineData(false, 0)]
    [InlineData(true, 0)]
    [InlineData(false, 5)]
    [InlineData(true, 11)]
    public void Processors_are_merged_and_a_circular_file_begins_in_its_middle(bool compressed, int rotate)
    {
        var writer = Write(new EtlWriting { Compressed = compressed, BufferBytes = 512, Mode = 2 });
        using var file = new WrittenFile(writer.ToFile(rotate));
        var told = file.Read(Ticks);
        Assert.Equal(Enumerable.Range(1, 400).Select(i => $"{i * 10}"), told.Lines);
        Assert.Equal((false, null, 0), (told.IsCut, told.Damage, told.Losses.Count));
    }

    [Fact]
    public void A_torn_file_gives_what_came_before()
    {
        var whole = Write(new EtlWriting { BufferBytes = 512 }).ToFile();
        for (var missing = 1; missing < 1500; missing += 50)
        {
            using var file = new WrittenFile(whole[..^missing]);
            var told = file.Read(Ticks);
            Assert.True(told.IsCut);
            Assert.Null(told.Damage);
            Assert.InRange(told.Lines.Count, 300, 399);
            Assert.Equal(told.Lines, told.Lines.OrderBy(long.Parse));
        }
    }

    [Theory]
    [InlineData(1, true)]
    [InlineData(2, false)]
    public void A_file_that_ends_between_two_buffers_is_cut_if_it_counts_more(int mode, bool cut)
    {
        using var file = new WrittenFile(Write(new EtlWriting { BufferBytes = 512, Mode = mode }).ToFile()[..^512]);
        Assert.Equal(cut, file.Read(Ticks).IsCut);
    }

    [Fact]
    public void Room_that_was_kept_and_never_written_is_no_damage()
    {
        using var file = new WrittenFile([.. Write(new EtlWriting { EndTime = 0 }).ToFile(), .. new byte[100_000]]);
        var told = file.Read(Ticks);
        Assert.Equal((400, true, null), (told.Lines.Count, told.IsCut, told.Damage));
    }

    [Fact]
    public void A_session_that_never_closed_its_file_is_cut()
    {
        using var file = new WrittenFile(Write(new EtlWriting { EndTime = 0 }).ToFile());
        Assert.True(file.Read(Ticks).IsCut);
    }

    [Fact]
    public void A_buffer_that_tells_of_losses_says_between_which_events()
    {
        var writer = new EtlWriter(new EtlWriting());
        writer.Kernel(KernelHooks.Switch, First + 10, 1, []);
        writer.Kernel(KernelHooks.Switch, First + 15, 0, []);
        writer.Flush(1);
        writer.Flag(1, 0x02);
        writer.Kernel(KernelHooks.Switch, First + 30, 1, []);
        using var file = new WrittenFile(writer.ToFile());
        var loss = Assert.Single(file.Read(Ticks).Losses);
        Assert.Equal((100 * (First + 10), 100 * (First + 30), 1), (loss.AfterNs, loss.BeforeNs, loss.Cpu));
    }

    [Fact]
    public void A_damaged_event_ends_its_buffer_and_no_other()
    {
        var writer = new EtlWriter(new EtlWriting());
        writer.Kernel(KernelHooks.Switch, First + 10, 0, []);
        writer.Raw(0, [1, 2, 3, 4, 5, 6, 7, 8]);
        writer.Kernel(KernelHooks.Switch, First + 20, 0, []);
        writer.Flush(0);
        writer.Kernel(KernelHooks.Switch, First + 15, 1, []);
        writer.Kernel(KernelHooks.Switch, First + 30, 0, []);
        using var file = new WrittenFile(writer.ToFile());
        var told = file.Read(Ticks);
        Assert.Equal(["10", "15", "30"], told.Lines);
        Assert.Contains("no event can begin", told.Damage, StringComparison.Ordinal);
        var loss = Assert.Single(told.Losses);
        Assert.Equal((100 * (First + 10), 100 * (First + 30), 0), (loss.AfterNs, loss.BeforeNs, loss.Cpu));
    }

    [Theory]
    [InlineData(0, "a buffer of 7 bytes")]
    [InlineData(0x30, "used bytes in a buffer of")]
    public void A_damaged_buffer_ends_the_file(int offset, string why)
    {
        var bytes = Write(new EtlWriting { BufferBytes = 512 }).ToFile();
        var third = 1024 + 512 + 512;
        BitConverter.GetBytes(offset == 0 ? 7 : 600).CopyTo(bytes, third + offset);
        using var file = new WrittenFile(bytes);
        var told = file.Read(Ticks);
        Assert.Contains(why, told.Damage, StringComparison.Ordinal);
        Assert.True(told.IsCut);
        Assert.InRange(told.Lines.Count, 10, 100);
    }

    [Fact]
    public void A_buffer_whose_stream_is_damaged_is_left_out()
    {
        var sound = Write(new EtlWriting { BufferBytes = 512, Compressed = true }).ToFile();
        var length = BitConverter.ToInt32(sound, 1024);
        Array.Fill<byte>(sound, 0xFF, 1024 + 72, length - 72);
        using var file = new WrittenFile(sound);
        var told = file.Read(Ticks);
        Assert.Contains("cannot be decompressed", told.Damage, StringComparison.Ordinal);
        Assert.Single(told.Losses);
        Assert.InRange(told.Lines.Count, 350, 395);
    }

    [Fact]
    public void A_file_that_decompresses_to_far_more_than_its_size_is_refused()
    {
        // A match as long as the buffer: a few bytes become 16 MB, again and again.
        byte[] bomb = [0, 0, 0, 0x40, 1, 7, 0, 15, 255, 0, 0, 255, 255, 255, 0x7F];
        byte[] buffer =
        [
            .. BitConverter.GetBytes(72 + bomb.Length), .. new byte[36], 0, 0, 1, 0, 3, 0, 0, 0, 0, 0, 0, 1, 0x60, 0, 0, 0, .. new byte[16], .. bomb,
        ];
        using var file = new WrittenFile([.. new EtlWriter(new EtlWriting()).ToFile(), .. Enumerable.Repeat(buffer, 1000).SelectMany(b => b)]);
        var told = file.Read(Ticks);
        Assert.Contains("decompress to more than 32 times the file", told.Damage, StringComparison.Ordinal);
        Assert.Empty(told.Lines);
    }

    private static string Ticks(EtlEvent e) => $"{(e.Time / 100) - First}";

    /// <summary>Writes 400 events of three processors. One of them is slow, so its buffers come late.</summary>
    private static EtlWriter Write(EtlWriting how)
    {
        var writer = new EtlWriter(how);
        for (var i = 1; i <= 400; i++)
        {
            writer.Kernel(KernelHooks.Switch, First + (i * 10), i % 20 == 0 ? 2 : i % 2, BitConverter.GetBytes(i));
        }

        return writer;
    }
}
