using System.Text;

namespace Poolscope.Tables;

/// <summary>NumPy's .npy format, version 1.0, one-dimensional and little-endian
/// (specified in NumPy's documentation, numpy.lib.format).</summary>
public static class Npy
{
    private const int HeaderAlignment = 64;

    /// <summary>Returns NumPy's descriptor of a number type.</summary>
    /// <exception cref="NotSupportedException">No table uses this type.</exception>
    public static string Descriptor<T>() where T : unmanaged => default(T) switch
    {
        byte => "|u1",
        ushort => "<u2",
        short => "<i2",
        int => "<i4",
        long => "<i8",
        double => "<f8",
        _ => throw new NotSupportedException($"No .npy descriptor for {typeof(T).Name}."),
    };

    /// <summary>Writes magic, version, header and elements.</summary>
    internal static void Write(Stream stream, in NpyEntry array)
    {
        if (!BitConverter.IsLittleEndian)
        {
            throw new PlatformNotSupportedException("Tables are written on little-endian machines only.");
        }

        var header = $"{{'descr': '{array.Descriptor}', 'fortran_order': False, 'shape': ({array.Length},), }}";
        const int preamble = 10; // magic (6), version (2), header length (2)
        var padding = HeaderAlignment - ((preamble + header.Length + 1) % HeaderAlignment);
        header += new string(' ', padding % HeaderAlignment) + '\n';
        stream.Write([0x93, (byte)'N', (byte)'U', (byte)'M', (byte)'P', (byte)'Y', 1, 0]);
        stream.Write(BitConverter.GetBytes((ushort)header.Length));
        stream.Write(Encoding.ASCII.GetBytes(header));
        array.Write(stream);
    }
}
