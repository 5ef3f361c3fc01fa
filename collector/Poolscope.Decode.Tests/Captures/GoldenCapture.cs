using System.IO.Compression;
using Poolscope.Decode.Manifest;

namespace Poolscope.Decode.Tests.Captures;

/// <summary>A golden capture in a folder of its own, with streams that a test can damage.</summary>
internal sealed class GoldenCapture : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolscope-golden");

    /// <param name="name">Name of the capture, such as healthy.</param>
    /// <param name="streams">Streams to keep; all if none is given.</param>
    public GoldenCapture(string name, params string[] streams)
    {
        ZipFile.ExtractToDirectory(Path.Combine(Goldens, name + ".zip"), Folder);
        Directory.Delete(PathOf("tables"), recursive: true);
        if (streams.Length > 0)
        {
            var manifest = CaptureManifest.Load(Folder);
            foreach (var stream in manifest.Streams.Where(stream => !streams.Contains(stream.File) && File.Exists(PathOf(stream.File))))
            {
                File.Delete(PathOf(stream.File));
            }

            (manifest with { Streams = [.. manifest.Streams.Where(stream => streams.Contains(stream.File))] }).Save(Folder);
        }
    }

    /// <summary>The folder of the golden captures.</summary>
    public static string Goldens
    {
        get
        {
            var folder = AppContext.BaseDirectory;
            while (!File.Exists(Path.Combine(folder, "Poolscope.slnx")))
            {
                folder = Path.GetDirectoryName(folder) ?? throw new DirectoryNotFoundException("not in the repository");
            }

            return Path.Combine(folder, "traces", "golden");
        }
    }

    public string Folder => _folder.FullName;

    public string PathOf(string file) => Path.Combine(Folder, file);

    /// <summary>Changes the bytes of a stream.</summary>
    public void Change(string file, Func<byte[], byte[]> how) => File.WriteAllBytes(PathOf(file), how(File.ReadAllBytes(PathOf(file))));

    public void Dispose() => _folder.Delete(recursive: true);
}
