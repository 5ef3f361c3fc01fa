using System.Buffers.Binary;
using Microsoft.Diagnostics.Runtime;
using Poolscope.Look;
using Poolscope.Look.Memory;

namespace Poolscope.Fuzz.Dumps;

/// <summary>Finds the bytes in the file of a core dump that a look reads.</summary>
internal static class DumpLayout
{
    private const int ProgramHeaders = 32; // e_phoff
    private const int EntryCount = 56; // e_phnum
    private const int EntrySize = 56;
    private const uint Load = 1; // PT_LOAD
    private const uint Note = 4; // PT_NOTE

    /// <summary>Looks at the whole dump, and returns the bytes that the look read.</summary>
    public static IReadOnlyList<(long Offset, int Length)> Places(string dump, byte[] file)
    {
        using var whole = DataTarget.LoadDump(dump, Looker.Options(""));
        var noting = new NotingReader(whole.DataReader);
        using (var looker = Looker.Of(new DataTarget(noting, Looker.Options(""))))
        {
            looker.Look(new LookLimits(), isLast: true, static _ => { });
        }

        var loads = Entries(file).Where(entry => entry.Type == Load).ToList();
        return [.. noting.Noted.Select(read => (Offset(loads, read.Address), read.Length)).Where(place => place.Item1 >= 0)];
    }

    /// <summary>Returns the number of bytes from the beginning to the end of the notes.</summary>
    public static int Header(byte[] file) => (int)Math.Min(file.Length, Entries(file).Where(entry => entry.Type == Note).Select(entry => entry.Offset + entry.Size).DefaultIfEmpty(4096).Max());

    private static long Offset(List<(uint Type, long Offset, ulong Address, long Size)> loads, ulong address) =>
        loads.Where(load => address >= load.Address && address - load.Address < (ulong)load.Size).Select(load => load.Offset + (long)(address - load.Address)).DefaultIfEmpty(-1).First();

    private static IEnumerable<(uint Type, long Offset, ulong Address, long Size)> Entries(byte[] file)
    {
        var table = (int)BinaryPrimitives.ReadInt64LittleEndian(file.AsSpan(ProgramHeaders));
        var count = BinaryPrimitives.ReadUInt16LittleEndian(file.AsSpan(EntryCount));
        for (var i = 0; i < count; i++)
        {
            var at = table + (i * EntrySize);
            yield return (
                BinaryPrimitives.ReadUInt32LittleEndian(file.AsSpan(at)),
                BinaryPrimitives.ReadInt64LittleEndian(file.AsSpan(at + 8)),
                BinaryPrimitives.ReadUInt64LittleEndian(file.AsSpan(at + 16)),
                BinaryPrimitives.ReadInt64LittleEndian(file.AsSpan(at + 32)));
        }
    }
}
