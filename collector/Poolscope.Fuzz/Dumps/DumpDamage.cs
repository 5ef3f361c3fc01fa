using System.Buffers.Binary;

namespace Poolscope.Fuzz.Dumps;

/// <summary>Damages a dump in place, and restores it afterwards: it is too large to be written again for every
/// input.</summary>
/// <param name="file">A copy of the dump, open for writing.</param>
/// <param name="places">Offsets of the bytes that a look at the whole dump reads.</param>
/// <param name="header">Bytes of the headers and notes at its beginning.</param>
internal sealed class DumpDamage(FileStream file, byte[] whole, IReadOnlyList<(long Offset, int Length)> places, int header)
{
    private const int MostChanges = 8;
    private const int Word = 8;
    private const int CutsOneIn = 40;
    private const int HeaderOneIn = 3;

    /// <summary>Writes the input with this number over the file, and returns the action that restores the
    /// file.</summary>
    public Action Lay(int seed, int number)
    {
        var random = new Random(unchecked((seed * 16_777_619) + number)); // not HashCode: it differs from process to process
        if (random.Next(CutsOneIn) == 0)
        {
            var length = random.NextInt64(whole.Length);
            file.SetLength(length);
            return () => Write(length, whole.AsSpan((int)length));
        }

        var changed = new List<(long Offset, int Length)>();
        for (var change = random.Next(MostChanges) + 1; change > 0; change--)
        {
            var at = Place(random);
            if (at + Word > whole.Length)
            {
                continue;
            }

            var word = whole.AsSpan((int)at, Word).ToArray();
            Change(random, word);
            Write(at, word);
            changed.Add((at, Word));
        }

        return () =>
        {
            foreach (var (offset, length) in changed)
            {
                Write(offset, whole.AsSpan((int)offset, length));
            }
        };
    }

    private long Place(Random random)
    {
        if (places.Count == 0 || random.Next(HeaderOneIn) == 0)
        {
            return random.Next(header);
        }

        var (offset, length) = places[random.Next(places.Count)];
        return offset + (random.Next(Math.Max(1, length)) & ~(Word - 1));
    }

    private void Change(Random random, byte[] word)
    {
        switch (random.Next(6))
        {
            case 0:
                word[random.Next(Word)] ^= (byte)(1 << random.Next(8));
                break;
            case 1:
                random.NextBytes(word);
                break;
            case 2:
                Array.Fill(word, random.Next(2) == 0 ? (byte)0 : (byte)0xFF);
                break;
            case 3: // another pointer, or another number
                whole.AsSpan((int)Math.Min(Place(random), whole.Length - Word), Word).CopyTo(word);
                break;
            case 4:
                BinaryPrimitives.WriteInt64LittleEndian(word, BinaryPrimitives.ReadInt64LittleEndian(word) + random.Next(-64, 65));
                break;
            default: // a length or an index of 32 bits
                BinaryPrimitives.WriteInt32LittleEndian(word, random.Next(2) == 0 ? int.MaxValue : random.Next());
                break;
        }
    }

    private void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        file.Position = offset;
        file.Write(bytes);
        file.Flush();
    }
}
