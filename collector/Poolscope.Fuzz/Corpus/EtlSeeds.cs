using System.Text;
using Poolscope.Etl.Format;

namespace Poolscope.Fuzz.Corpus;

/// <summary>Small Windows traces, as an ETW session writes them: two cores, a pool of two workers, a competitor, stacks
/// of every kind, and method names.</summary>
internal static class EtlSeeds
{
    private const int Target = 7;
    private const int Rival = 9;
    private const long Ms = 10_000;

    private static readonly Guid Framework = Guid.Parse("8e9f5090-2d75-4d03-8a81-e5afbf85daf1");
    private static readonly Guid Clr = Guid.Parse("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
    private static readonly Guid Rundown = Guid.Parse("a669021c-c450-4609-a035-5af59af4df18");
    private static readonly Guid Tpl = Guid.Parse("2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5");

    public static IReadOnlyList<Seed> Of(byte[] manifest) =>
    [
        new Seed(File(new EtlWriting()), manifest),
        new Seed(File(new EtlWriting { Compressed = true, BufferBytes = 2048 }), manifest),
        new Seed(File(new EtlWriting { PointerSize = 4, Mode = 2, BufferBytes = 1024 }, rotate: 3), manifest),
        new Seed(File(new EtlWriting { EventsLost = 3, EndTime = 0, Clock = 2, FirstTicks = 132_999_999_100_000_000 }), manifest),
    ];

    /// <param name="rotate">As in <see cref="EtlWriter.ToFile"/>.</param>
    public static byte[] File(EtlWriting how, int rotate = 0)
    {
        var writer = new EtlWriter(how);
        var width = how.PointerSize;
        var t = how.FirstTicks;
        writer.Kernel(KernelHooks.Machine, t, 0, [.. U32(3000), .. U32(2), .. U32(4096), .. U32(4096), .. U32(65536), .. Encoding.Unicode.GetBytes("SERVER"), .. new byte[500]], version: 3);
        writer.Kernel(KernelHooks.ProcessExists, t, 0, Process(width, Target, "app.exe", "app.exe --run"), Target, 70, version: 4);
        writer.Kernel(KernelHooks.ProcessExists, t, 1, Process(width, Rival, "rival.exe", ""), Rival, 90, version: 4);
        writer.Kernel(KernelHooks.ImageExists, t, 0, Image(width, Target, 0x10_0000, 0x10_0000, "\\Device\\HarddiskVolume4\\Windows\\System32\\ntdll.dll"), Target, 70, version: 3);
        foreach (var (pid, tid, name) in new[] { (Target, 70, "main"), (Target, 71, ".NET TP Worker"), (Target, 72, ".NET TP Worker"), (Rival, 91, "") })
        {
            writer.Kernel(KernelHooks.ThreadExists, t, 1, Thread(width, pid, tid, name), pid, tid, version: 4);
        }

        writer.Manifest(Framework, 65534, t + 1, 0, Target, 70, new byte[16]);
        for (var i = 0; i < 12; i++)
        {
            Round(writer, width, t + Ms + (i * 40 * Ms), i);
        }

        t += 600 * Ms;
        writer.Kernel(KernelHooks.StackKeyRundown, t, 1, [.. Pointer(8, 0xBEEF), .. Pointer(width, 0x20_0110), .. Pointer(width, 0x20_0010)]);
        writer.Manifest(Rundown, 154, t, 0, Target, 70, [.. U64(0x5555), .. U64(1), .. U32(0), .. U32(0), .. Text("C:\\app\\app.dll"), .. Text(""), 1, 0]);
        writer.Manifest(Rundown, 144, t + 1, 0, Target, 70, Method(0x20_0000, 0x100, "App.Service", "Handle"));
        writer.Manifest(Rundown, 144, t + 2, 0, Target, 70, Method(0x20_0100, 0x100, "System.Threading.Monitor", "Enter"));
        writer.Kernel(KernelHooks.ThreadExistsAtEnd, t + 3, 0, Thread(width, Target, 71, ".NET TP Worker"), Target, 71, version: 4);
        writer.Kernel(KernelHooks.ProcessExistsAtEnd, t + 3, 0, Process(width, Target, "app.exe", "app.exe --run"), Target, 70, version: 4);
        return writer.ToFile(rotate);
    }

    /// <summary>Adds a round: an item is queued, its worker waits for a core behind a competitor, blocks at a lock, and
    /// ends.</summary>
    private static void Round(EtlWriter writer, int width, long t, int i)
    {
        var worker = 71 + (i % 2);
        writer.Kernel(KernelHooks.Switch, t, 0, Switch(70, 0, 5));
        writer.Manifest(Framework, 30, t + 10, 0, Target, 70, U64(1000 + i));
        writer.Manifest(Tpl, 7, t + 11, 0, Target, 70, [.. U32(1), .. U32(0), .. U32(500 + i), .. U32(0), .. U32(0), .. U32(1)]);
        writer.Kernel(KernelHooks.Ready, t + 20, 0, [.. U32(worker), 1, 0, 0, 0], Target, 70);
        writer.Kernel(KernelHooks.Switch, t + 30, 0, Switch(91, 70, 5));
        writer.Kernel(KernelHooks.Sample, t + (10 * Ms), 0, [.. Pointer(width, 0x30_0000), .. U32(91), .. U32(1)]);
        writer.Kernel(KernelHooks.Switch, t + (20 * Ms), 0, Switch(worker, 91, 1));
        writer.Kernel(KernelHooks.StackWalk, t + (20 * Ms) + 5, 0, [.. U64(t + (20 * Ms)), .. U32(Target), .. U32(worker), .. Pointer(width, 0x10_0010), .. Pointer(width, 0x20_0110), .. Pointer(width, 0x20_0010)], Target, worker);
        writer.Manifest(Framework, 31, t + (20 * Ms) + 10, 0, Target, worker, U64(1000 + i));
        writer.Manifest(
            Clr, 81, t + (21 * Ms), 0, Target, worker, [0, 1, 0, .. Pointer(width, 0x77), .. Pointer(width, 0x78), .. U64(70)], default,
            width == 8 ? (6, [.. U64(0), .. U64(0x20_0110), .. U64(0x20_0010)]) : (5, [.. U64(0), .. U32(0x20_0110), .. U32(0x20_0010)]));
        writer.Kernel(KernelHooks.Switch, t + (21 * Ms) + 5, 0, Switch(0, worker, 5));
        writer.Kernel(KernelHooks.Ready, t + (25 * Ms), 1, [.. U32(worker), 1, 0, 1, 0]);
        writer.Kernel(KernelHooks.Switch, t + (25 * Ms) + 5, 1, Switch(worker, 0, 5));
        writer.Kernel(KernelHooks.StackKeyUser, t + (25 * Ms) + 6, 1, [.. U64(t + (25 * Ms) + 5), .. U32(Target), .. U32(worker), .. Pointer(width, 0xBEEF)]);
        writer.Manifest(Clr, 91, t + (25 * Ms) + 10, 1, Target, worker, [0, 1, 0, .. U64(0)]);
        writer.Manifest(Clr, 57, t + (30 * Ms), 1, Target, worker, [.. U32(2), .. U32(0), 1, 0]);
        writer.Kernel(KernelHooks.Switch, t + (30 * Ms) + 5, 1, Switch(0, worker, 5));
        writer.Kernel(KernelHooks.TcpReceive, t + (31 * Ms), 1, [.. U32(Target), .. U32(80), 192, 0, 2, 7, 127, 0, 0, 1, 0x9C, 0x40, 0x13, 0x88, .. U32(4711), .. Pointer(width, 0)]);
    }

    private static byte[] Switch(int to, int from, byte state) => [.. U32(to), .. U32(from), 8, 8, 0, 0, 13, 1, state, 0, .. U32(7), .. U32(0)];

    private static byte[] Thread(int width, int pid, int tid, string name) =>
        [.. U32(pid), .. U32(tid), .. Enumerable.Range(0, 7).SelectMany(_ => Pointer(width, 0x1000)), .. U32(0), 8, 5, 2, 0, .. Text(name)];

    private static byte[] Process(int width, int pid, string image, string command) =>
    [
        .. Pointer(width, 0x99), .. U32(pid), .. U32(4), .. U32(1), .. U32(259), .. Pointer(width, 0x1000), .. U32(0),
        .. Pointer(width, 1), .. Pointer(width, 2), 1, 1, 0, 0, 0, 0, 0, 5, .. U32(18), .. Encoding.ASCII.GetBytes(image + '\0'), .. Text(command),
    ];

    private static byte[] Image(int width, int pid, long at, long size, string path) =>
        [.. Pointer(width, at), .. Pointer(width, size), .. U32(pid), .. U32(0), .. U32(0), .. U32(0), .. Pointer(width, at), .. new byte[16], .. Text(path)];

    private static byte[] Method(long start, int size, string type, string name) =>
        [.. U64(1), .. U64(0x5555), .. U64(start), .. U32(size), .. U32(0x0600_0001), .. U32(0), .. Text(type), .. Text(name), .. Text("void ()"), 1, 0];

    private static byte[] Text(string text) => Encoding.Unicode.GetBytes(text + '\0');

    private static byte[] Pointer(int width, long value) => BitConverter.GetBytes(value)[..width];

    private static byte[] U32(int value) => BitConverter.GetBytes(value);

    private static byte[] U64(long value) => BitConverter.GetBytes(value);
}
