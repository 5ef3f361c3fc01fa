using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Tests;

/// <summary>A kernel file system with made-up contents.</summary>
internal sealed class FakeRoot : IDisposable
{
    public const int Pid = 4711;

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolscope-test-");

    public FakeRoot()
    {
        Proc = new ProcFs(_folder.FullName);
        Write($"/proc/{Pid}/stat", $"{Pid} (a ) b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 98765 20 21");
        Write($"/proc/{Pid}/status", "Name:\tdotnet\nUid:\t1000\t1000\t1000\t1000\nNSpid:\t4711\t7\nCpus_allowed_list:\t0-3,8\n");
        Write($"/proc/{Pid}/cmdline", "dotnet\0/app/app.dll\0--x\0");
        Write($"/proc/{Pid}/environ", "PATH=/bin\0");
    }

    public ProcFs Proc { get; }

    public void Write(string path, string text)
    {
        var file = new FileInfo(Proc.PathOf(path));
        file.Directory!.Create();
        File.WriteAllText(file.FullName, text);
    }

    public void Dispose() => _folder.Delete(recursive: true);
}
