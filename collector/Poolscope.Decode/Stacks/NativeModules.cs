namespace Poolscope.Decode.Stacks;

/// <summary>Native code by address: which file was mapped there when it ran, and which of its functions it is.</summary>
/// <param name="symbols">Reads the files' own symbols; null: they are not the files that ran, or that is not known.</param>
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
        always = true;
        foreach (var mapping in _mappings)
        {
            if (address - mapping.Address < mapping.Length)
            {
                always &= found is null || found.Value.IsSameAs(mapping);
                found = mapping.Time <= time || found is null ? mapping : found;
            }
        }

        if (found is not { IsFile: true } there)
        {
            return null;
        }

        var offset = address - there.Address + there.FileOffset;
        var module = there.Path[(there.Path.LastIndexOf(there.Path[0] == '/' ? '/' : '\\') + 1)..];
        return symbols?.Find(there.Path, new FileRange(there.FileOffset, there.Length), offset) is { } function
            ? new NativeCode(module, function, HasSymbol: true)
            : new NativeCode(module, $"+0x{offset:x}", HasSymbol: false);
    }

    private readonly record struct Mapping(long Time, ulong Address, ulong Length, ulong FileOffset, string Path)
    {
        // Compiled code lies in anonymous memory or in a file that the runtime made for it in memory. Windows tells of files alone.
        public bool IsFile { get; } =
            (Path.Contains('\\') && !Path.StartsWith('/'))
            || (Path.StartsWith('/') && !Path.StartsWith("//", StringComparison.Ordinal)
            && !Path.StartsWith("/memfd:", StringComparison.Ordinal) && !Path.StartsWith("/dev/", StringComparison.Ordinal));

        /// <summary>The kernel shows a mapping again when its protection changes.</summary>
        public bool IsSameAs(in Mapping other) =>
            IsFile == other.IsFile && (!IsFile || (Path == other.Path && Address - FileOffset == other.Address - other.FileOffset));
    }
}

/// <param name="Module">File name without a folder.</param>
/// <param name="Function">Its symbol; without one "+0x" and the offset in the file.</param>
internal sealed record NativeCode(string Module, string Function, bool HasSymbol);
