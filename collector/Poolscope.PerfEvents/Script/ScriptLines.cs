using System.Buffers;

namespace Poolscope.PerfEvents.Script;

/// <summary>Reads the lines of a text, one after the other, in one buffer. Memory grows neither with the text nor with
/// a line.</summary>
internal sealed class ScriptLines(Stream text) : IDisposable
{
    /// <summary>The maximum length of a line, bytes; longer ones are left out. Lines of events have a few hundred
    /// bytes; those of a header name the ids of every CPU.</summary>
    internal const int Longest = 1 << 18;

    private readonly byte[] _buffer = ArrayPool<byte>.Shared.Rent(2 * Longest);
    private int _at;
    private int _end;

    /// <summary>The number of lines so far.</summary>
    internal long Count { get; private set; }

    /// <summary>The number of lines that were left out because they are too long.</summary>
    internal long TooLong { get; private set; }

    /// <summary>True if the text does not end with the end of a line. Its last line, which was not returned, may be
    /// incomplete.</summary>
    internal bool IsCut { get; private set; }

    /// <summary>Moves to the next whole line.</summary>
    /// <param name="line">The line without its end, valid until the next call.</param>
    /// <returns>False if there is none.</returns>
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
                    isRest = false; // the end of a line that was too long
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

    /// <returns>False at the end of the text.</returns>
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
