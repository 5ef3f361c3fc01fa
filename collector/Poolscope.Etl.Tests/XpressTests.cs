using System.Text;
using Poolscope.Etl.Format;
using Poolscope.Fuzz.Corpus;
using Xunit;

namespace Poolscope.Etl.Tests;

/// <summary>Decompression follows [MS-XCA] 2.4, and reads its own examples (3.1).</summary>
public sealed class XpressTests
{
    [Theory]
    [InlineData("3f0000006162636465666768696a6b6c6d6e6f707172737475767778797a", "abcdefghijklmnopqrstuvwxyz", 1)]
    [InlineData("ffffff1f61626317000fff2601", "abc", 100)]
    public void The_specification_s_examples(string compressed, string text, int times)
    {
        var expected = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat(text, times)));
        var output = new byte[expected.Length];
        Assert.True(Xpress.TryDecompress(Convert.FromHexString(compressed), output));
        Assert.Equal(expected, output);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void What_was_compressed_comes_back(int seed)
    {
        var random = new Random(seed);
        for (var round = 0; round < 200; round++)
        {
            // Runs of one byte, of every length with an encoding of its own.
            var runs = Enumerable.Range(0, random.Next(20)).SelectMany(_ => Enumerable.Repeat((byte)random.Next(4), random.Next(1 << random.Next(13))));
            byte[] bytes = [.. runs, .. Guid.NewGuid().ToByteArray(), .. runs];
            var compressed = XpressWriter.Compress(bytes);
            var output = new byte[bytes.Length];
            Assert.True(Xpress.TryDecompress(compressed, output));
            Assert.Equal(bytes, output);
        }
    }

    [Fact]
    public void A_stream_that_ends_early_is_refused()
    {
        var compressed = XpressWriter.Compress([.. Enumerable.Range(0, 600).Select(i => (byte)(i / 7))]);
        for (var length = 0; length < compressed.Length - 8; length++)
        {
            Assert.False(Xpress.TryDecompress(compressed.AsSpan(0, length), new byte[600]));
        }
    }

    [Fact]
    public void A_match_in_front_of_the_first_byte_is_refused() =>
        Assert.False(Xpress.TryDecompress([0, 0, 0, 0x40, (byte)'a', 0xF8, 0xFF], new byte[8]));

    [Fact]
    public void A_match_that_is_too_long_ends_with_the_output()
    {
        var output = new byte[8];
        Assert.True(Xpress.TryDecompress([0, 0, 0, 0x40, (byte)'a', 7, 0, 15, 255, 0, 0, 255, 255, 255, 255], output));
        Assert.All(output, value => Assert.Equal((byte)'a', value));
    }
}
