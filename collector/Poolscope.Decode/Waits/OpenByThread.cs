namespace Poolscope.Decode.Waits;

/// <summary>The open rows of each thread, innermost last.</summary>
internal sealed class OpenByThread
{
    private readonly Dictionary<int, Stack<int>> _rows = [];

    public void Push(int tid, int row)
    {
        if (!_rows.TryGetValue(tid, out var stack))
        {
            _rows.Add(tid, stack = []);
        }

        stack.Push(row);
    }

    public bool TryPeek(int tid, out int row)
    {
        row = -1;
        return _rows.TryGetValue(tid, out var stack) && stack.TryPeek(out row);
    }

    public bool TryPop(int tid, out int row)
    {
        row = -1;
        return _rows.TryGetValue(tid, out var stack) && stack.TryPop(out row);
    }
}
