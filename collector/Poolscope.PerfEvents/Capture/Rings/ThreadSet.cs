namespace Poolscope.PerfEvents.Capture.Rings;

/// <summary>A set of thread ids, one bit each. Every switch of the machine looks up two ids. An id is at most 2^22
/// (PID_MAX_LIMIT in include/linux/threads.h), so the set takes at most half a megabyte.</summary>
internal sealed class ThreadSet
{
    private const int BitsPerWord = 64;
    private const int LargestId = 1 << 22;

    private ulong[] _words = new ulong[1];

    internal bool Contains(int id)
    {
        var word = (uint)id / BitsPerWord;
        return word < (uint)_words.Length && (_words[word] & Bit(id)) != 0;
    }

    /// <returns>True if the id was added; false if it was in the set or is impossible.</returns>
    internal bool Add(int id)
    {
        if (id is < 0 or > LargestId || Contains(id))
        {
            return false;
        }

        var word = id / BitsPerWord;
        if (word >= _words.Length)
        {
            Array.Resize(ref _words, Math.Max(word + 1, 2 * _words.Length));
        }

        _words[word] |= Bit(id);
        return true;
    }

    /// <returns>True if the id was in the set.</returns>
    internal bool Remove(int id)
    {
        if (!Contains(id))
        {
            return false;
        }

        _words[id / BitsPerWord] &= ~Bit(id);
        return true;
    }

    private static ulong Bit(int id) => 1UL << (id % BitsPerWord);
}
