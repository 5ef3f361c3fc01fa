using Microsoft.Diagnostics.Tracing.Session;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Stacks;

/// <summary>Decodes methods and modules, both from a rundown and as the runtime loads them.</summary>
internal sealed class MethodEvents(MethodMap map)
{
    private const int MethodLoadVerbose = 143;
    private const int MethodRundownVerbose = 144;
    private const int InstructionMapRundown = 150;
    private const int ModuleLoad = 152;
    private const int ModuleRundown = 154;
    private const int InstructionMapLoad = 190;

    // MethodID, ModuleID, start address (u64 each), size, token, flags (u32 each); then the names.
    private const int MethodNames = 36;

    // ModuleID, AssemblyID (u64 each), flags, reserved (u32 each); then the paths, ClrInstanceID (u16), and the PDB's
    // id (16 bytes), age (u32) and path.
    private const int ModulePath = 24;
    private const int PdbId = 2;
    private const int PdbPath = PdbId + 16 + 4;

    // MethodID, ReJITID (u64 each), extent (u8), number of entries (u16); then the entries.
    private const int InstructionCount = 17;
    private const int InstructionOffsets = 19;

    private static readonly Guid Runtime = TraceEventProviders.GetEventSourceGuidFromName("Microsoft-Windows-DotNETRuntime");
    private static readonly Guid Rundown = TraceEventProviders.GetEventSourceGuidFromName("Microsoft-Windows-DotNETRuntimeRundown");

    // Nettrace files carry provider names, which TraceEvent turns into the manifest's GUID if it knows the provider.
    private static readonly Guid RuntimeManifest = Guid.Parse("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
    private static readonly Guid RundownManifest = Guid.Parse("a669021c-c450-4609-a035-5af59af4df18");

    // A method's map belongs to the code that the same thread reports right after the map (rundown) or right before it
    // (load). The method's id alone does not identify the tier.
    private readonly Dictionary<int, (long Method, CompiledCode? Code)> _loaded = [];
    private (long Method, InstructionMap Map)? _listed;

    public void Decode(in RawEvent e)
    {
        if (e.Id is not (MethodLoadVerbose or MethodRundownVerbose or InstructionMapRundown or ModuleLoad or ModuleRundown or InstructionMapLoad))
        {
            return;
        }

        var provider = e.Provider;
        var runtime = provider == Runtime || provider == RuntimeManifest;
        var rundown = provider == Rundown || provider == RundownManifest;
        switch (e.Id)
        {
            case MethodLoadVerbose when runtime && e.Has(MethodNames):
                _loaded[e.Tid] = (e.Int64(0), Method(e, e.Time));
                break;
            case InstructionMapLoad when runtime:
                if (e.Has(InstructionOffsets) && _loaded.TryGetValue(e.Tid, out var last) && last.Method == e.Int64(0) && last.Code is { } loaded)
                {
                    loaded.Instructions ??= Instructions(e);
                }

                break;
            case InstructionMapRundown when rundown:
                _listed = Instructions(e) is { } map ? (e.Int64(0), map) : null;
                break;
            case MethodRundownVerbose when rundown:
                if (Method(e, long.MinValue) is { } code && _listed is { } listed && listed.Method == e.Int64(0))
                {
                    code.Instructions = listed.Map;
                }

                _listed = null;
                break;
            case ModuleLoad when runtime:
            case ModuleRundown when rundown:
                Module(e);
                break;
        }
    }

    /// <returns>The code; null for a method without code, or if the payload ends before the name.</returns>
    private CompiledCode? Method(in RawEvent e, long from)
    {
        if (!e.Has(MethodNames) || !Utf16.TryRead(e.Payload, MethodNames, out var type, out var next) || !Utf16.TryRead(e.Payload, next, out var method, out _))
        {
            return null;
        }

        return map.AddMethod(
            (ulong)e.Int64(16), (uint)e.Int32(24), type.Length > 0 ? $"{type}.{method}" : method, e.Int64(8), e.Int32(28), from);
    }

    private void Module(in RawEvent e)
    {
        if (!Utf16.TryRead(e.Payload, ModulePath, out var path, out var next))
        {
            return;
        }

        // The PDB comes after the path of the native image.
        map.AddModule(
            e.Int64(0),
            Utf16.TryRead(e.Payload, next, out _, out next) && Utf16.TryRead(e.Payload, next + PdbPath, out var pdb, out _)
                ? new ManagedModule(path, pdb, new Guid(e.Payload.Slice(next + PdbId, 16)))
                : new ManagedModule(path));
    }

    private static InstructionMap? Instructions(in RawEvent e)
    {
        const int bytesPerEntry = 2 * sizeof(int);
        var count = e.Has(InstructionOffsets) ? e.UInt16(InstructionCount) : 0;
        return count > 0 && e.Has(InstructionOffsets + (count * bytesPerEntry))
            ? InstructionMap.Read(e.Payload[InstructionOffsets..], count)
            : null;
    }
}
