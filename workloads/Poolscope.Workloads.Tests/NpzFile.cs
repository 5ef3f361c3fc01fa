using System.IO.Compression;
using System.Runtime.InteropServices;
using Xunit;

namespace Poolscope.Workloads.Tests;

/// <summary>Reads an .npz file back, independently of the code that writes it.</summary>
internal static class NpzFile
{
    public static T[] Read<T>(string path, string array, string descriptor)
        where T : unmanaged
    {
        using var archive = ZipFile.OpenRead(path);
        var entry = archive.GetEntry(array + ".npy") ?? throw new KeyNotFoundException(array);
        using var stream = entry.Open();
        using var memory = new MemoryStream();
        stream.CopyTo(memory);
        var bytes = memory.ToArray();
        var header = 10 + BitConverter.ToUInt16(bytes, 8);
        Assert.Contains(
            $"'descr': '{descriptor}'", System.Text.Encoding.ASCII.GetString(bytes, 10, header - 10), StringComparison.Ordinal);
        return MemoryMarshal.Cast<byte, T>(bytes.AsSpan(header)).ToArray();
    }

    public static long[] Int64(string path, string array) => Read<long>(path, array, "<i8");

    public static int[] Int32(string path, string array) => Read<int>(path, array, "<i4");
}
