namespace Poolscope.Decode.Stacks;

/// <summary>The name of a method in a stack.</summary>
/// <param name="Name">Namespace, type and method, without its signature.</param>
/// <param name="Module">File name of its module without a folder; null if not reported.</param>
internal sealed record MethodName(string Name, string? Module);

/// <summary>A module as the runtime loaded it.</summary>
/// <param name="Path">Path of its IL image.</param>
/// <param name="PdbPath">Path to which the build wrote the PDB; empty if not reported.</param>
/// <param name="PdbId">Id of that PDB; empty if not reported.</param>
internal sealed record ManagedModule(string Path, string PdbPath = "", Guid PdbId = default)
{
    public string FileName => Path[(Path.LastIndexOfAny(['/', '\\']) + 1)..];
}

/// <summary>The compiled methods by address. Later code replaces earlier code at its address from then on, because the
/// runtime reuses the memory of dynamic methods and unloaded contexts.</summary>
internal sealed class MethodMap
{
    // The code of methods overlaps only if it was replaced. The limit keeps a damaged file from making each search a
    // walk through all methods.
    private const int FarthestStart = 64;

    // The versions of the code at a start address, oldest first.
    private readonly Dictionary<ulong, List<CompiledCode>> _code = [];
    private readonly Dictionary<long, ManagedModule> _modules = [];
    private ulong[]? _starts;
    private ulong[] _reach = [];

    /// <param name="from">Load time, CLOCK_MONOTONIC ns; <see cref="long.MinValue"/> for code in a rundown. Add the
    /// code of one address in order of time, that of the rundown first.</param>
    /// <returns>The code now known at that address; null for a method without code.</returns>
    public CompiledCode? AddMethod(ulong start, uint size, string name, long module, int token = 0, long from = long.MinValue)
    {
        if (start == 0 || size == 0)
        {
            return null;
        }

        var code = new CompiledCode(start, size, name, module, token, from);
        if (!_code.TryGetValue(start, out var versions))
        {
            _code.Add(start, versions = []);
        }

        _starts = null;
        if (versions.Count > 0 && versions[^1] is var latest)
        {
            if (latest.IsSameAs(code))
            {
                return latest; // the rundown listed it already, or lists it again
            }

            if (latest.From == from)
            {
                versions.RemoveAt(versions.Count - 1);
            }
        }

        versions.Add(code);
        return code;
    }

    public void AddModule(long module, ManagedModule managed) => _modules[module] = managed;

    public ManagedModule? Module(long module) => _modules.GetValueOrDefault(module);

    /// <returns>The method; null if none is known at the address.</returns>
    public MethodName? Find(ulong address) =>
        Find(address, long.MaxValue, out _) is { } code ? new MethodName(code.Name, Module(code.Module)?.FileName) : null;

    /// <param name="time">The time at which the code ran, CLOCK_MONOTONIC ns.</param>
    /// <param name="always">Whether the result is the same at every time.</param>
    /// <returns>The code; null if none is known at the address.</returns>
    public CompiledCode? Find(ulong address, long time, out bool always)
    {
        Index();
        always = true;
        var at = Array.BinarySearch(_starts!, address);
        at = at < 0 ? ~at - 1 : at;
        for (var last = Math.Max(0, at - FarthestStart); at >= last && _reach[at] > address; at--)
        {
            var versions = _code[_starts![at]];
            always &= versions.Count == 1;
            var code = At(versions, time);
            if (code.Covers(address))
            {
                return code;
            }
        }

        return null;
    }

    /// <summary>Returns the version at a time; before the first version, the first.</summary>
    private static CompiledCode At(List<CompiledCode> versions, long time)
    {
        var (low, high) = (0, versions.Count);
        while (high - low > 1)
        {
            var middle = (low + high) / 2;
            (low, high) = versions[middle].From <= time ? (middle, high) : (low, middle);
        }

        return versions[low];
    }

    private void Index()
    {
        if (_starts is not null)
        {
            return;
        }

        _starts = [.. _code.Keys];
        Array.Sort(_starts);
        _reach = new ulong[_starts.Length];
        var reach = 0UL;
        for (var i = 0; i < _starts.Length; i++)
        {
            // The highest end of the code at this start or a lower one. A search for a higher address need not go
            // further down.
            reach = Math.Max(reach, _code[_starts[i]].Max(v => v.Start + v.Size));
            _reach[i] = reach;
        }
    }
}
