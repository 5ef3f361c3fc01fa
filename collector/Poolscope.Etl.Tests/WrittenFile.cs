using Poolscope.Etl.Format;
using Poolscope.Etl.Reading;

namespace Poolscope.Etl.Tests;

/// <summary>A file that a test wrote, in a folder of its own.</summary>
internal sealed class WrittenFile : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-etl-").FullName;

    public WrittenFile(byte[] bytes, string name = "trace.etl") => Path = Add(name, bytes);

    public string Path { get; }

    public string Folder => _folder;

    public string Add(string name, byte[] bytes)
    {
        var path = System.IO.Path.Combine(_folder, name);
        File.WriteAllBytes(path, bytes);
        return path;
    }

    /// <summary>Reads the file and formats each event except the header as a line.</summary>
    public Told Read(Func<EtlEvent, string> line)
    {
        using var file = EtlFile.Open(Path);
        using var merge = new EtlMerge([file]);
        var lines = new List<string>();
        while (merge.Next())
        {
            var e = merge.Current;
            if (e.Hook != KernelHooks.FileHeader)
            {
                lines.Add(line(e));
            }
        }

        return new Told(lines, file.IsCut, file.Damage ?? merge.Damage, [.. merge.Losses()]);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);
}

/// <summary>The result of reading a file.</summary>
internal sealed record Told(List<string> Lines, bool IsCut, string? Damage, List<EtlLoss> Losses);
