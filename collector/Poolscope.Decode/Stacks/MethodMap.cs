namespace Poolscope.Decode.Stacks;

/// <summary>A method as a stack names it.</summary>
/// <param name="Name">Namespace, type and method, without its signature.</param>
/// <param name="Module">File name of its module without a folder; null: not told.</param>
internal sealed record MethodName(string Name, string? Module);

/// <summary>Which method the code at an address belongs to. Code that was compiled later replaces what was there.</summary>
internal sealed class MethodMap
{
    private readonly Dictionary<ulong, (uint Size, string Name, long Module)> _code = [];
    private readonly Dictionary<long, string> _modules = [];
    private ulong[]? _starts;

    public void AddMethod(ulong start, uint size, string name, long module)
    {
        if (start != 0 && size != 0)
        {
            _code[start] = (size, name, module);
            _starts = null;
        }
    }

    public void AddModule(long module, string path) => _modules[module] = path[(path.LastIndexOfAny(['/', '\\']) + 1)..];

    /// <returns>Null: no method is known there.</returns>
    public MethodName? Find(ulong address)
    {
        if (_starts is null)
        {
            _starts = [.. _code.Keys];
            Array.Sort(_starts);
        }

        var at = Array.BinarySearch(_starts, address);
        at = at < 0 ? ~at - 1 : at;
        if (at < 0)
        {
            return null;
        }

        var (size, name, module) = _code[_starts[at]];
        return address - _starts[at] < size ? new MethodName(name, _modules.GetValueOrDefault(module)) : null;
    }
}
