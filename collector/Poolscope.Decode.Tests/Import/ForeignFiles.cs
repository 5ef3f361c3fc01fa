using System.IO.Compression;
using Poolscope.Decode.Tests.Captures;

namespace Poolscope.Decode.Tests.Import;

/// <summary>Files that dotnet-trace and perf recorded of one process at the same time (traces/other-tools), in a folder
/// of their own.</summary>
internal sealed class ForeignFiles : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolscope-foreign");

    public ForeignFiles() => ZipFile.ExtractToDirectory(Path.Combine(GoldenCapture.Goldens, "..", "other-tools", "dotnet-trace-and-perf.zip"), _folder.FullName);

    public string Trace => PathOf("trace.nettrace");

    public string Scheduler => PathOf("sched.perf.data");

    public string PathOf(string name) => Path.Combine(_folder.FullName, name);

    /// <summary>Creates a new folder for a capture.</summary>
    public string NewCapture(string name = "made") => Directory.CreateDirectory(PathOf(name)).FullName;

    public static void Change(string path, Func<byte[], byte[]> how) => File.WriteAllBytes(path, how(File.ReadAllBytes(path)));

    public void Dispose() => _folder.Delete(recursive: true);
}
