using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Blocks;

/// <param name="Pid">The process; -1 if not reported.</param>
/// <param name="Tid">The OS thread.</param>
internal readonly record struct FileThread(int Pid, int Tid);

/// <summary>The threads of a file of version 6, which holds several processes. Events name threads by index. An index
/// denotes a thread from its row until the file removes it, and may then denote another thread.</summary>
/// <param name="process">The process of threads that report none; -1 if unknown.</param>
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

    /// <summary>Returns a thread by its number, which is valid to the end of the file.</summary>
    public FileThread Of(int number) => _threads[number];

    /// <summary>Finds the thread that an index denotes now.</summary>
    /// <returns>The thread's number, and the number of the row that gave it its index, by which events are
    /// counted.</returns>
    /// <exception cref="NettraceDamage">The index denotes no thread.</exception>
    public (int Thread, int Row) Find(ulong index) =>
        _byIndex.TryGetValue(index, out var found) ? found : throw new NettraceDamage("a thread that was not described");

    /// <summary>Takes the rows of a block of threads.</summary>
    /// <exception cref="NettraceDamage">A row reaches beyond the block.</exception>
    public void Add(ReadOnlySpan<byte> block)
    {
        for (var rows = new BlockBytes(block); !rows.IsEmpty;)
        {
            var row = new BlockBytes(rows.Take(rows.UInt16()));
            var index = row.Variable();
            _byIndex[index] = (Number(Read(ref row, index)), _rows++);
        }
    }

    /// <summary>Removes an index.</summary>
    public void Remove(ulong index) => _byIndex.Remove(index);

    /// <summary>Removes all indices.</summary>
    public void Clear() => _byIndex.Clear();

    private FileThread Read(ref BlockBytes row, ulong index)
    {
        // A thread without an id gets one that no kernel thread can have.
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
