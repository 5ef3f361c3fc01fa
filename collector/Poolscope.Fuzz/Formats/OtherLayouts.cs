namespace Poolscope.Fuzz.Formats;

/// <summary>The structure of text files, of files with records of one size, and of files without a known
/// structure.</summary>
internal static class OtherLayouts
{
    /// <summary>Returns lines as pieces, and runs of digits as fields.</summary>
    public static Layout Text(byte[] file)
    {
        var (pieces, fields) = (new List<Piece>(), new List<Piece>());
        var (line, digits) = (0, -1);
        for (var at = 0; at <= file.Length; at++)
        {
            var isDigit = at < file.Length && char.IsAsciiDigit((char)file[at]);
            if (isDigit != digits >= 0)
            {
                if (!isDigit)
                {
                    fields.Add(new Piece(digits, at - digits));
                }

                digits = isDigit ? at : -1;
            }

            if (at < file.Length && file[at] == '\n')
            {
                pieces.Add(new Piece(line, at + 1 - line));
                line = at + 1;
            }
        }

        return new Layout(pieces, fields);
    }

    /// <summary>Returns records as pieces, and their words as fields.</summary>
    public static Layout Records(byte[] file, int header, int record)
    {
        var starts = Enumerable.Range(0, Math.Max(0, (file.Length - header) / record)).Select(i => header + (i * record)).ToList();
        return new Layout([.. starts.Select(at => new Piece(at, record))], [.. starts.SelectMany(at => Enumerable.Range(0, record / 8).Select(i => new Piece(at + (8 * i), 8)))]);
    }

    /// <summary>Returns ranges of 64 bytes as pieces, and every aligned word as a field.</summary>
    public static Layout Words(byte[] file) => new(
        [.. Enumerable.Range(0, file.Length / 64).Select(i => new Piece(64 * i, 64))],
        [.. Enumerable.Range(0, file.Length / 4).Select(i => new Piece(4 * i, 4))]);
}
