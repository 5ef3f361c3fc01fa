using Poolscope.Decode.Import;
using Poolscope.Decode.Manifest;

namespace Poolscope.Fuzz.Formats;

/// <summary>Makes a capture from a trace in its folder, as `decode FILE.nettrace` does.</summary>
internal static class NettraceImporting
{
    private const string Trace = "runtime.nettrace";

    public static void Prepare(string folder)
    {
        var recording = NettraceImport.Open(Path.Combine(folder, Trace), null, null, CancellationToken.None);
        NettraceImport.Write(recording, folder, new ToolInfo("poolscope-fuzz", "0"), CancellationToken.None);
    }
}
