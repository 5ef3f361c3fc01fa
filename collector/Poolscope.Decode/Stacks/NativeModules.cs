namespace Poolscope.Decode.Stacks;

/// <summary>Native code by address: which file was mapped there when it ran, and which of its functions it is.</summary>
/// <param name="symbols">Reads the files' own symbols; null: they are not the files that ran, or nobody knows.</param>
internal sealed class NativeModules(ElfSymbols? symbols)
{
    private readonly List<Mapping> _mappings = [];

    /// <summary>Calls come in order of time.</summary>
    /// <param name="fileOffset">Where in the file the first byte lies.</param>
    public void Add(long time, ulong address, ulong length, ulong fileOffset, string path) =>
        _mappings.Add(new Mapping(time, address, length, fileOffset, path));

    /// <param name="always">The answer is the same for every time.</param>
    /// <returns>Null: no file was mapped there; its memory is compiled code, a stub, or unknown.</returns>
    public NativeCode? Find(ulong address, long time, out bool always)
    {
        var found = default(Mapping?);
        var covering = 0;
        foreach (var mapping in _mappings)
        {
            if (address - mapping.Address < mapping.Length)
            {
                covering++;
                found = mapping.Time <= time || found is null ? mapping : found;
            }
        }

        always = covering <= 1;
        if (found is not { } there || !IsFile(there.Path))
        {
            return null;
        }

        var offset = address - there.Address + there.FileOffset;
        var module = there.Path[(there.Path.LastIndexOf('/') + 1)..];
        return symbols?.Find(there.Path, new FileRange(there.FileOffset, there.Length), offset) is { } function
            ? new NativeCode(module, function, HasSymbol: true)
            : new NativeCode(module, $"+0x{offset:x}", HasSymbol: false);
    }

    // Compiled code lies in anonymous memory or in a file that the runtime made for it in memory.
    private static bool IsFile(string path) =>
        path.StartsWith('/') && !path.StartsWith("//", StringComparison.Ordinal) && !path.StartsWith("/memfd:", StringComparison.Ordinal)
        && !path.StartsWith("/dev/", StringComparison.Ordinal);

    private readonly record struct Mapping(long Time, ulong Address, ulong Length, ulong FileOffset, string Path);
}

/// <param name="Module">File name without a folder.</param>
/// <param name="Function">Its symbol; without one "+0x" and the offset in the file.</param>
internal sealed record NativeCode(string Module, string Function, bool HasSymbol);
