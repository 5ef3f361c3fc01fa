using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Blocks;

/// <param name="Pid">Process; -1: not reported.</param>
/// <param name="Tid">OS thread.</param>
internal readonly record struct FileThread(int Pid, int Tid);

/// <summary>The threads of a file of version 6, which has several processes. Events name them by indices, each of which stands
/// for a thread from its row on until it is taken back, and for another one after that.</summary>
/// <param name="process">Of threads that report none; -1: not known.</param>
internal sealed class FileThreads(int process)
{
    private const int Name = 1;
    private const int ProcessId = 2;
    private const int ThreadId = 3;
    private const int KeyValue = 4;

    private readonly Dictionary<ulong, (int Thread, int Row)> _byIndex = [];
    private readonly Dictionary<FileThread, int> _numbers = [];
    private readonly List<FileThread> _threads = [];
    private int _rows;

    /// <summary>A thread by its number, which stands for it to the end of the file.</summary>
    public FileThread Of(int number) => _threads[number];

    /// <summary>What an index stands for now.</summary>
    /// <returns>The thread's number, and the number of the row that gave it its index: events are counted by rows.</returns>
    /// <exception cref="NettraceDamage">It stands for nothing.</exception>
    public (int Thread, int Row) Find(ulong index) =>
        _byIndex.TryGetValue(index, out var found) ? found : throw new NettraceDamage("a thread that was not described");

    /// <summary>Takes the rows of a block of threads.</summary>
    /// <exception cref="NettraceDamage">One reaches beyond the block.</exception>
    public void Add(ReadOnlySpan<byte> block)
    {
        for (var rows = new BlockBytes(block); !rows.IsEmpty;)
        {
            var row = new BlockBytes(rows.Take(rows.UInt16()));
            var index = row.Variable();
            _byIndex[index] = (Number(Read(ref row, index)), _rows++);
        }
    }

    /// <summary>Takes an index back.</summary>
    public void Remove(ulong index) => _byIndex.Remove(index);

    /// <summary>Takes all indices back.</summary>
    public void Clear() => _byIndex.Clear();

    private FileThread Read(ref BlockBytes row, ulong index)
    {
        // No thread has an id as great: one without an id is none of the kernel's.
        var thread = new FileThread(process, ThreadIds.Limit + (int)(index % ThreadIds.Limit));
        while (!row.IsEmpty)
        {
            switch (row.Byte())
            {
                case Name:
                    row.Counted();
                    break;
                case ProcessId:
                    thread = thread with { Pid = (int)row.Variable() };
                    break;
                case ThreadId:
                    thread = thread with { Tid = (int)row.Variable() };
                    break;
                case KeyValue:
                    row.Counted();
                    row.Counted();
                    break;
                default:
                    return thread; // of a later version
            }
        }

        return thread;
    }

    private int Number(FileThread thread)
    {
        if (!_numbers.TryGetValue(thread, out var number))
        {
            _numbers.Add(thread, number = _threads.Count);
            _threads.Add(thread);
        }

        return number;
    }
}
