using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Blocks;

/// <summary>The activities of events in a file of version 6, read from its lists of labels. Skips other
/// labels.</summary>
internal sealed class FileLabels
{
    private const byte LastOfList = 0x80;
    private const int IdBytes = 16;

    private readonly Dictionary<uint, int> _byIndex = [];
    private readonly List<(Guid Activity, Guid Related)> _activities = [];

    /// <summary>Returns the number of a list's activities, valid to the end of the file; -1 for no
    /// activities.</summary>
    public int Find(uint index) => _byIndex.GetValueOrDefault(index, -1);

    /// <param name="number">A number that <see cref="Find"/> returned.</param>
    public (Guid Activity, Guid Related) Of(int number) => number < 0 ? default : _activities[number];

    /// <summary>Takes a block of label lists.</summary>
    /// <exception cref="NettraceDamage">The block holds more or less than it says, or an unknown label.</exception>
    public void Add(ReadOnlySpan<byte> block)
    {
        var bytes = new BlockBytes(block);
        var (index, count) = (bytes.UInt32(), bytes.UInt32());
        for (; count > 0; count--)
        {
            var labels = List(ref bytes);
            if (labels != default)
            {
                _byIndex[index] = _activities.Count;
                _activities.Add(labels);
            }
            else
            {
                _byIndex.Remove(index);
            }

            index++;
        }

        if (!bytes.IsEmpty)
        {
            throw new NettraceDamage("a block of labels that holds more than it says");
        }
    }

    /// <summary>Forgets the lists. The numbers returned for them remain valid.</summary>
    public void Clear() => _byIndex.Clear();

    private static (Guid Activity, Guid Related) List(ref BlockBytes bytes)
    {
        var (activity, related) = (default(Guid), default(Guid));
        while (true)
        {
            var kind = bytes.Byte();
            switch (kind & ~LastOfList)
            {
                case 1:
                    activity = bytes.Guid();
                    break;
                case 2:
                    related = bytes.Guid();
                    break;
                case 3: // trace id
                    bytes.Take(IdBytes);
                    break;
                case 4 or 8: // span id, keywords
                    bytes.Int64();
                    break;
                case 5: // key and value
                    bytes.Counted();
                    bytes.Counted();
                    break;
                case 6: // key and number
                    bytes.Counted();
                    bytes.Variable();
                    break;
                case 7 or 9 or 10: // opcode, level, version
                    bytes.Byte();
                    break;
                default:
                    throw new NettraceDamage("a label of an unknown kind");
            }

            if ((kind & LastOfList) != 0)
            {
                return (activity, related);
            }
        }
    }
}
