using System.Buffers;

namespace Poolscope.PerfEvents.Script;

/// <summary>The lines of a text, one after the other, in one buffer: memory grows neither with the text nor with a line.</summary>
internal sealed class ScriptLines(Stream text) : IDisposable
{
    /// <summary>Bytes. Lines of events have some hundred; those of a header name the ids of every CPU. What is longer is left out.</summary>
    internal const int Longest = 1 << 18;

    private readonly byte[] _buffer = ArrayPool<byte>.Shared.Rent(2 * Longest);
    private int _at;
    private int _end;

    /// <summary>Lines so far.</summary>
    internal long Count { get; private set; }

    /// <summary>Lines that were left out because they are too long.</summary>
    internal long TooLong { get; private set; }

    /// <summary>The text does not end with the end of a line: the line before, which was not handed out, may be a part.</summary>
    internal bool IsCut { get; private set; }

    /// <summary>Goes to the next whole line.</summary>
    /// <param name="line">Without its end, and valid until the next call.</param>
    /// <returns>False: there is none.</returns>
    /// <exception cref="IOException">The text cannot be read.</exception>
    internal bool Next(out ReadOnlySpan<byte> line)
    {
        var isRest = false;
        var searched = 0;
        while (true)
        {
            var found = _buffer.AsSpan(_at + searched, _end - _at - searched).IndexOf((byte)'\n');
            if (found >= 0)
            {
                line = _buffer.AsSpan(_at, searched + found);
                _at += searched + found + 1;
                searched = 0;
                Count++;
                if (isRest)
                {
                    isRest = false; // of a line that was too long
                    continue;
                }

                line = line is [.., (byte)'\r'] ? line[..^1] : line;
                return true;
            }

            searched = _end - _at;
            if (searched >= Longest)
            {
                TooLong += isRest ? 0 : 1;
                (isRest, _at, _end, searched) = (true, 0, 0, 0);
            }

            if (!Fill())
            {
                IsCut = searched > 0 || isRest;
                line = default;
                return false;
            }
        }
    }

    public void Dispose() => ArrayPool<byte>.Shared.Return(_buffer);

    /// <returns>False: the text is at its end.</returns>
    private bool Fill()
    {
        if (_buffer.Length - _end < Longest)
        {
            _buffer.AsSpan(_at, _end - _at).CopyTo(_buffer);
            (_at, _end) = (0, _end - _at);
        }

        var read = text.Read(_buffer, _end, _buffer.Length - _end);
        _end += read;
        return read > 0;
    }
}
