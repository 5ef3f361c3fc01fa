namespace Poolscope.Decode.Stacks;

/// <summary>Native code by address: the file mapped there when the code ran, and the function in it.</summary>
/// <param name="symbols">Reads the files' symbols; null if the files on this machine are or may be others.</param>
internal sealed class NativeModules(ElfSymbols? symbols)
{
    private readonly List<Mapping> _mappings = [];

    /// <summary>Adds a mapping. Call in order of time.</summary>
    /// <param name="fileOffset">Offset of the first byte in the file.</param>
    public void Add(long time, ulong address, ulong length, ulong fileOffset, string path) =>
        _mappings.Add(new Mapping(time, address, length, fileOffset, path));

    /// <param name="always">Whether the result is the same at every time.</param>
    /// <returns>The code; null if no file was mapped at the address, which then holds compiled code, a stub, or unknown
    /// code.</returns>
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
        // Compiled code is in anonymous memory or in a memory file of the runtime. Windows reports only files.
        public bool IsFile { get; } =
            (Path.Contains('\\') && !Path.StartsWith('/'))
            || (Path.StartsWith('/') && !Path.StartsWith("//", StringComparison.Ordinal)
            && !Path.StartsWith("/memfd:", StringComparison.Ordinal) && !Path.StartsWith("/dev/", StringComparison.Ordinal));

        /// <summary>Compares mappings. The kernel reports a mapping again when its protection changes.</summary>
        public bool IsSameAs(in Mapping other) =>
            IsFile == other.IsFile && (!IsFile || (Path == other.Path && Address - FileOffset == other.Address - other.FileOffset));
    }
}

/// <param name="Module">File name without a folder.</param>
/// <param name="Function">The function's symbol; if it has none, "+0x" and the offset in the file.</param>
internal sealed record NativeCode(string Module, string Function, bool HasSymbol);
