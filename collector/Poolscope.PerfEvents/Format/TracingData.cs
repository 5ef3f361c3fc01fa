using System.Buffers.Binary;
using System.Text;

namespace Poolscope.PerfEvents.Format;

/// <summary>The TRACING_DATA feature: the kernel's descriptions of tracepoints, in the layout of trace-cmd's file format
/// version 6 (tools/perf/util/trace-event-info.c writes it, trace-event-read.c reads it).</summary>
internal static class TracingData
{
    private static ReadOnlySpan<byte> Magic => [23, 8, 68, (byte)'t', (byte)'r', (byte)'a', (byte)'c', (byte)'i', (byte)'n', (byte)'g'];

    /// <param name="headerPage">Contents of tracefs events/header_page. perf refuses the file if it is empty.</param>
    /// <param name="formats">Texts of `format` files, each with its subsystem, such as "sched".</param>
    internal static byte[] Build(ReadOnlySpan<byte> headerPage, ReadOnlySpan<byte> headerEvent, IEnumerable<(string System, string Text)> formats)
    {
        using var blob = new MemoryStream();
        using var writer = new BinaryWriter(blob);
        writer.Write(Magic);
        writer.Write("0.6\0"u8);
        writer.Write((byte)0); // little-endian
        writer.Write((byte)sizeof(long));
        writer.Write(Environment.SystemPageSize);
        writer.Write("header_page\0"u8);
        writer.Write((long)headerPage.Length);
        writer.Write(headerPage);
        writer.Write("header_event\0"u8);
        writer.Write((long)headerEvent.Length);
        writer.Write(headerEvent);
        writer.Write(0); // formats of ftrace's own events
        var systems = formats.GroupBy(f => f.System, f => f.Text).ToList();
        writer.Write(systems.Count);
        foreach (var system in systems)
        {
            writer.Write(Encoding.UTF8.GetBytes(system.Key + '\0'));
            writer.Write(system.Count());
            foreach (var format in system)
            {
                var text = Encoding.UTF8.GetBytes(format);
                writer.Write((long)text.Length);
                writer.Write(text);
            }
        }

        writer.Write(0); // kallsyms
        writer.Write(0); // printk formats
        writer.Write(0L); // saved command lines
        writer.Flush();
        return blob.ToArray();
    }

    /// <summary>Returns the texts of all tracepoint formats.</summary>
    /// <exception cref="InvalidDataException">The blob does not have this layout.</exception>
    internal static List<string> ReadFormats(ReadOnlySpan<byte> blob)
    {
        var cursor = new Cursor(blob);
        if (!cursor.Take(Magic.Length).SequenceEqual(Magic))
        {
            throw Malformed();
        }

        cursor.SkipString(); // version
        cursor.Take(1 + 1 + sizeof(uint)); // endianness, sizeof(long), page size
        cursor.SkipString();
        cursor.TakeCounted();
        cursor.SkipString();
        cursor.TakeCounted();
        for (var left = cursor.Int32(); left > 0; left--)
        {
            cursor.TakeCounted();
        }

        var formats = new List<string>();
        for (var systems = cursor.Int32(); systems > 0; systems--)
        {
            cursor.SkipString();
            for (var left = cursor.Int32(); left > 0; left--)
            {
                formats.Add(Encoding.UTF8.GetString(cursor.TakeCounted()));
            }
        }

        return formats;
    }

    private static InvalidDataException Malformed() => new("The tracepoint descriptions (TRACING_DATA) of the perf.data file are damaged.");

    private ref struct Cursor(ReadOnlySpan<byte> rest)
    {
        private ReadOnlySpan<byte> _rest = rest;

        internal ReadOnlySpan<byte> Take(long bytes)
        {
            if (bytes < 0 || bytes > _rest.Length)
            {
                throw Malformed();
            }

            var taken = _rest[..(int)bytes];
            _rest = _rest[(int)bytes..];
            return taken;
        }

        internal int Int32() => BinaryPrimitives.ReadInt32LittleEndian(Take(sizeof(int)));

        internal ReadOnlySpan<byte> TakeCounted() => Take(BinaryPrimitives.ReadInt64LittleEndian(Take(sizeof(long))));

        internal void SkipString()
        {
            var length = _rest.IndexOf((byte)0);
            Take(length < 0 ? _rest.Length + 1L : length + 1L);
        }
    }
}
