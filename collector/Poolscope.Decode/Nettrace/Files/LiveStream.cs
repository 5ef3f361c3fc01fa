namespace Poolscope.Decode.Nettrace.Files;

/// <summary>Gives a stream that is still being written the position and length that the file reader needs. Until the
/// stream ends, its unknown length is <see cref="LargestBlock"/> ahead: a block that claims more ends the
/// reading.</summary>
internal sealed class LiveStream(Stream source) : Stream
{
    /// <summary>Bytes. The runtime's blocks hold 100 KB, except for a single larger event (64 KB at most).</summary>
    private const long LargestBlock = 16 << 20;

    private const int BufferBytes = 64 << 10;

    private readonly byte[] _buffer = new byte[BufferBytes];
    private int _at;
    private int _end;
    private long _position;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    /// <summary>Waits for the next byte, which alone shows whether the stream continues.</summary>
    public override long Length => Fill() ? _position + LargestBlock : _position;

    public override long Position
    {
        get => _position;
        set => throw new NotSupportedException();
    }

    public override int ReadByte() => Fill() ? Took(_buffer[_at++]) : -1;

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override int Read(Span<byte> buffer)
    {
        if (buffer.IsEmpty || !Fill())
        {
            return 0;
        }

        var count = Math.Min(buffer.Length, _end - _at);
        _buffer.AsSpan(_at, count).CopyTo(buffer);
        _at += count;
        _position += count;
        return count;
    }

    public override void Flush() => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    private byte Took(byte value)
    {
        _position++;
        return value;
    }

    /// <returns>False if the stream has ended.</returns>
    private bool Fill()
    {
        if (_at < _end)
        {
            return true;
        }

        (_at, _end) = (0, source.Read(_buffer));
        return _end > 0;
    }
}
