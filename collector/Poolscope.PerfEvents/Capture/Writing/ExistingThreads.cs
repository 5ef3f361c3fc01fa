using System.Globalization;

namespace Poolscope.PerfEvents.Capture.Writing;

/// <summary>Describes the threads and mappings that existed before the recording, in records with time 0: the kernel
/// reports only changes. Processes and threads that end meanwhile are left out.</summary>
internal static class ExistingThreads
{
    /// <summary>The kernel's text. It stays in place until the machine restarts, and reading it costs the kernel tens
    /// of thousands of lines.</summary>
    private static readonly Lazy<(ulong Start, ulong End)?> KernelText = new(ReadKernelText);

    /// <param name="mappingsOf">Process whose executable mappings are described; null: every process.</param>
    /// <param name="only">The one process to describe; null: all.</param>
    internal static void Describe(RecordBuilder records, int? mappingsOf, int? only)
    {
        DescribeKernel(records);
        foreach (var process in only is { } one ? [one] : ProcessThreads.Ids("/proc"))
        {
            foreach (var thread in ProcessThreads.Of(process))
            {
                if (TryRead($"/proc/{process}/task/{thread}/comm") is not { } name)
                {
                    continue;
                }

                if (thread != process)
                {
                    records.Fork(process, thread);
                }

                records.Comm(process, thread, name.TrimEnd('\n'));
            }

            if (mappingsOf is null || mappingsOf == process)
            {
                DescribeMappings(records, process);
            }
        }
    }

    private static void DescribeMappings(RecordBuilder records, int process)
    {
        foreach (var line in (TryRead($"/proc/{process}/maps") ?? "").Split('\n'))
        {
            if (ExecutableMapping.TryParse(line, out var mapping))
            {
                records.Mmap2(process, mapping);
            }
        }
    }

    /// <summary>Describes the kernel's text, without which `perf report` cannot name kernel addresses. Skipped if
    /// addresses are hidden (kernel.kptr_restrict).</summary>
    private static void DescribeKernel(RecordBuilder records)
    {
        if (KernelText.Value is { } text)
        {
            records.KernelMmap(text.Start, text.End);
        }
    }

    private static (ulong Start, ulong End)? ReadKernelText()
    {
        ulong start = 0;
        try
        {
            // Sorted by address: the text ends in the middle, and the kernel need not produce the rest.
            foreach (var line in File.ReadLines("/proc/kallsyms"))
            {
                if (line.EndsWith(" _text", StringComparison.Ordinal))
                {
                    start = Address(line);
                }
                else if (line.EndsWith(" _etext", StringComparison.Ordinal))
                {
                    return start != 0 && Address(line) > start ? (start, Address(line)) : null;
                }
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // A kernel without kallsyms.
        }

        return null;
    }

    private static ulong Address(string line) =>
        ulong.TryParse(line.AsSpan(0, line.IndexOf(' ')), NumberStyles.AllowHexSpecifier, null, out var address) ? address : 0;

    private static string? TryRead(string path)
    {
        try
        {
            return File.ReadAllText(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
