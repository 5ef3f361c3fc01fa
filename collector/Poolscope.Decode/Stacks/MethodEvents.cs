using Microsoft.Diagnostics.Tracing.Session;
using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Stacks;

/// <summary>Methods and modules, as a rundown lists them and as the runtime loads them.</summary>
internal sealed class MethodEvents(MethodMap map)
{
    private const int MethodLoadVerbose = 143;
    private const int MethodRundownVerbose = 144;
    private const int ModuleLoad = 152;
    private const int ModuleRundown = 154;

    // MethodID, ModuleID, start address (u64 each), size, token, flags (u32 each); then the names.
    private const int MethodNames = 36;

    // ModuleID, AssemblyID (u64 each), flags, reserved (u32 each); then the paths.
    private const int ModulePath = 24;

    private static readonly Guid Runtime = TraceEventProviders.GetEventSourceGuidFromName("Microsoft-Windows-DotNETRuntime");
    private static readonly Guid Rundown = TraceEventProviders.GetEventSourceGuidFromName("Microsoft-Windows-DotNETRuntimeRundown");

    // Nettrace carries names, which TraceEvent turns into the GUID of the manifest where it knows the provider.
    private static readonly Guid RuntimeManifest = Guid.Parse("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
    private static readonly Guid RundownManifest = Guid.Parse("a669021c-c450-4609-a035-5af59af4df18");

    public void Decode(in RawEvent e)
    {
        if (e.Id is not (MethodLoadVerbose or MethodRundownVerbose or ModuleLoad or ModuleRundown))
        {
            return;
        }

        var provider = e.Provider;
        var runtime = provider == Runtime || provider == RuntimeManifest;
        var rundown = provider == Rundown || provider == RundownManifest;
        if ((runtime && e.Id == MethodLoadVerbose) || (rundown && e.Id == MethodRundownVerbose))
        {
            Method(e);
        }
        else if ((runtime && e.Id == ModuleLoad) || (rundown && e.Id == ModuleRundown))
        {
            map.AddModule(e.Int64(0), Utf16.Read(e.Payload, ModulePath, out _));
        }
    }

    private void Method(in RawEvent e)
    {
        if (!e.Has(MethodNames))
        {
            return;
        }

        var type = Utf16.Read(e.Payload, MethodNames, out var next);
        var method = Utf16.Read(e.Payload, next, out _);
        map.AddMethod((ulong)e.Int64(16), (uint)e.Int32(24), type.Length > 0 ? $"{type}.{method}" : method, e.Int64(8));
    }
}
