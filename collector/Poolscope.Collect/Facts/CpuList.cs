namespace Poolscope.Collect.Facts;

/// <summary>Parses the kernel's format for sets of CPUs: 0-3,8,10-11.</summary>
internal static class CpuList
{
    /// <returns>The number of CPUs in the list, or null if the text is no such list.</returns>
    public static int? Count(string? list)
    {
        var count = 0;
        foreach (var part in list?.Split(',') ?? [])
        {
            var ends = part.Trim().Split('-');
            if (!int.TryParse(ends[0], out var first) || !int.TryParse(ends[^1], out var last) || ends.Length > 2 || last < first)
            {
                return null;
            }

            count += last - first + 1;
        }

        return count > 0 ? count : null;
    }
}
