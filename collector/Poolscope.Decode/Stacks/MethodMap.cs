namespace Poolscope.Decode.Stacks;

/// <summary>A method as a stack names it.</summary>
/// <param name="Name">Namespace, type and method, without its signature.</param>
/// <param name="Module">File name of its module without a folder; null: not reported.</param>
internal sealed record MethodName(string Name, string? Module);

/// <summary>A module as the runtime loaded it.</summary>
/// <param name="Path">Of its IL image.</param>
/// <param name="PdbPath">Where its build put the PDB; empty: not reported.</param>
/// <param name="PdbId">What that PDB is known by; empty: not reported.</param>
internal sealed record ManagedModule(string Path, string PdbPath = "", Guid PdbId = default)
{
    public string FileName => Path[(Path.LastIndexOfAny(['/', '\\']) + 1)..];
}

/// <summary>Which method the code at an address belongs to. Code that was compiled later replaces what was there, from
/// then on: memory of dynamic methods and of unloaded contexts is used again.</summary>
internal sealed class MethodMap
{
    // Code of methods does not overlap but where it was replaced; without a limit a damaged file makes each search a walk
    // through all methods.
    private const int FarthestStart = 64;

    // Versions of what begins at an address, oldest first.
    private readonly Dictionary<ulong, List<CompiledCode>> _code = [];
    private readonly Dictionary<long, ManagedModule> _modules = [];
    private ulong[]? _starts;
    private ulong[] _reach = [];

    /// <param name="from">CLOCK_MONOTONIC ns from which on it was there; <see cref="long.MinValue"/>: always, as a rundown says.
    /// Calls for one address come in order of time, after those of the rundown.</param>
    /// <returns>What is now known at that address; null: a method without code.</returns>
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
                return latest; // the rundown knew it already, or shows it once more
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

    /// <returns>Null: no method is known there.</returns>
    public MethodName? Find(ulong address) =>
        Find(address, long.MaxValue, out _) is { } code ? new MethodName(code.Name, Module(code.Module)?.FileName) : null;

    /// <param name="time">CLOCK_MONOTONIC ns at which the code ran.</param>
    /// <param name="always">The answer is the same for every time.</param>
    /// <returns>Null: no method is known there.</returns>
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

    /// <summary>The version that was there at a time; before the first one, the first.</summary>
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
            // Where the code of this start or of any before it ends: behind it there is no use in looking further down.
            reach = Math.Max(reach, _code[_starts[i]].Max(v => v.Start + v.Size));
            _reach[i] = reach;
        }
    }
}
