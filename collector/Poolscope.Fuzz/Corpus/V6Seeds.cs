namespace Poolscope.Fuzz.Corpus;

/// <summary>Files of version 6: streams of runtimes, converted, and files of several processes with the kernel's
/// events.</summary>
internal static class V6Seeds
{
    /// <param name="runtimes">Beginnings of streams of version 4.</param>
    /// <param name="manifest">The import replaces it.</param>
    public static IReadOnlyList<Seed> Of(IEnumerable<byte[]> runtimes, byte[] manifest) => [.. Files(runtimes).Select(file => new Seed(file, manifest))];

    private static IEnumerable<byte[]> Files(IEnumerable<byte[]> runtimes) =>
    [
        .. runtimes.SelectMany(runtime => new[]
        {
            Transcoding.ToVersion6(runtime),
            Transcoding.ToVersion6(runtime, new TranscodingOptions { TellsProcesses = true, ForgetsThreads = true, ForgetsKinds = true, Compressed = false }),
        }),
        OneCollectFile.Of(new OneCollectContents { Switches = true, OffCpu = true, Lost = 7, Items = 60 }),
        OneCollectFile.Of(new OneCollectContents { OffCpu = true, Items = 60 }),
    ];
}
