using System.Buffers.Binary;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Files;
using Poolscope.Decode.Nettrace.Blocks;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Files;

/// <summary>Receives a block that passed its checks. Valid during the call, or longer if held.</summary>
internal delegate void BlockHandler(NettraceBlock block);

/// <summary>Walks the blocks of a .nettrace file, which may be damaged or malicious. Each block is checked against
/// itself (<see cref="BlockCheck"/>), the blocks before it (<see cref="EventOrder"/>) and the capture before any of it
/// is delivered. The first block that fails ends the reading. Memory: one block, which is no longer than the file, and
/// the index of its events.</summary>
/// <remarks>Versions 4 and 5 of the format, which every runtime up to .NET 10 writes, are tagged objects;
/// <see cref="NettraceFileV6"/> reads version 6. TraceEvent reads them too, but does not validate its input: one
/// changed byte caused multi-GB allocations or arbitrary exceptions.</remarks>
internal sealed class NettraceFile
{
    private const byte NullReference = 1;
    private const byte BeginObject = 5;
    private const byte EndObject = 6;
    private const int TraceObjectBytes = 48;
    private const int LongestName = 16;

    // From version 6 on, a reserved number precedes the version and distinguishes the file from older ones.
    private const int MagicBytes = 8;
    private const int MajorOffset = MagicBytes + sizeof(int);
    private const int PreambleBytesV6 = MagicBytes + (3 * sizeof(int));

    internal static readonly byte[] Preamble = [.. "Nettrace"u8, 20, 0, 0, 0, .. "!FastSerialization.1"u8];

    private readonly Stream _file;
    private readonly StreamBounds _bounds;
    private readonly BlockHandler _handler;
    private readonly EventKinds _kinds;
    private readonly IBlockTap? _tap;
    private readonly EventOrder _order = new();
    private NettraceFileV6? _v6;
    private NettraceHeader? _header;

    private NettraceFile(Stream file, StreamBounds bounds, EventKinds kinds, BlockHandler handler, IBlockTap? tap = null) =>
        (_file, _bounds, _kinds, _handler, _tap) = (file, bounds, kinds, handler, tap);

    /// <summary>Delivers every sound block except those of metadata, in the order of the file.</summary>
    /// <param name="kinds">Receives the kinds of events by id, each before the first event of its kind.</param>
    /// <exception cref="DecodeException">The file cannot be opened.</exception>
    public static NettraceEnd Read(
        string path, StreamBounds bounds, EventKinds kinds, BlockHandler handler, CancellationToken cancellation = default)
    {
        using var file = CaptureFile.Open(path);
        return Read(file, bounds, kinds, handler, cancellation);
    }

    /// <summary>Reads the header.</summary>
    /// <param name="damage">The contradiction found; null if there is none, though the file may end early.</param>
    /// <returns>Null if there is no header.</returns>
    /// <exception cref="DecodeException">The file cannot be opened.</exception>
    public static NettraceHeader? ReadHeader(string path, StreamBounds bounds, out string? damage)
    {
        damage = null;
        using var stream = CaptureFile.Open(path);
        var file = new NettraceFile(stream, bounds, new EventKinds(), static _ => { });
        try
        {
            file.ReadPreamble();
            file.ReadNext();
        }
        catch (EndOfStreamException)
        {
            return null;
        }
        catch (NettraceDamage e)
        {
            damage = e.Message;
        }

        return file._v6?.Header ?? file._header;
    }

    /// <summary>Does the same for a stream that reports its position and length.</summary>
    public static NettraceEnd Read(
        Stream file, StreamBounds bounds, EventKinds kinds, BlockHandler handler, CancellationToken cancellation = default) =>
        new NettraceFile(file, bounds, kinds, handler).Read(cancellation);

    /// <summary>Does the same for a stream without known bounds, to its end.</summary>
    /// <param name="tap">Receives every sound part, including metadata; null if not needed.</param>
    public static NettraceEnd Read(Stream file, EventKinds kinds, BlockHandler handler, IBlockTap? tap) =>
        new NettraceFile(file, StreamBounds.None, kinds, handler, tap).Read(CancellationToken.None);

    private NettraceEnd Read(CancellationToken cancellation)
    {
        var at = 0L;
        try
        {
            ReadPreamble();
            at = _file.Position;
            while (ReadNext())
            {
                cancellation.ThrowIfCancellationRequested();
                at = _file.Position;
            }

            return _file.Position == _file.Length
                ? new NettraceEnd(Whole: true, Damage: null)
                : throw new NettraceDamage("there is more behind its end");
        }
        catch (EndOfStreamException)
        {
            return new NettraceEnd(Whole: false, Damage: null);
        }
        catch (NettraceDamage e)
        {
            return new NettraceEnd(Whole: false, $"byte {at}: {e.Message}");
        }
    }

    private void ReadPreamble()
    {
        Span<byte> start = stackalloc byte[Preamble.Length];
        var read = _file.ReadAtLeast(start[..PreambleBytesV6], PreambleBytesV6, throwOnEndOfStream: false);
        if (read == PreambleBytesV6 && start[..MagicBytes].SequenceEqual(Preamble.AsSpan(0, MagicBytes)) && BinaryPrimitives.ReadInt32LittleEndian(start[MagicBytes..]) == 0)
        {
            _v6 = Version6(BinaryPrimitives.ReadUInt32LittleEndian(start[MajorOffset..]));
            return;
        }

        read += _file.ReadAtLeast(start[read..], start.Length - read, throwOnEndOfStream: false);
        if (!Preamble.AsSpan().StartsWith(start[..read]))
        {
            throw new NettraceDamage("it does not begin as a .nettrace file does");
        }

        if (read < start.Length)
        {
            throw new EndOfStreamException();
        }
    }

    private NettraceFileV6 Version6(uint version) =>
        version != NettraceHeader.SeveralProcesses ? throw new NettraceDamage($"version {version} of the format, which is not read")
        : _tap is not null ? throw new NettraceDamage("version 6 of the format, which is not recorded")
        : new NettraceFileV6(_file, _bounds, _kinds, _handler);

    /// <returns>False if the file says that it ends here.</returns>
    private bool ReadNext() => _v6?.ReadBlock() ?? ReadObject();

    private bool ReadObject()
    {
        var tag = Byte();
        if (tag == NullReference)
        {
            return false;
        }

        if (tag != BeginObject || Byte() != BeginObject || Byte() != NullReference)
        {
            throw new NettraceDamage("no object begins here");
        }

        Span<byte> versions = stackalloc byte[2 * sizeof(int)];
        _file.ReadExactly(versions);
        var version = BinaryPrimitives.ReadInt32LittleEndian(versions);
        Span<byte> name = stackalloc byte[LongestName];
        name = name[..Between(0, LongestName, Int32(), "the name of an object is too long")];
        _file.ReadExactly(name);
        Expect(EndObject);
        if (name.SequenceEqual("Trace"u8))
        {
            ReadHeader(version);
        }
        else
        {
            ReadBlock(Kind(name));
        }

        Expect(EndObject);
        return true;
    }

    private void ReadHeader(int version)
    {
        if (_header is not null)
        {
            throw new NettraceDamage("it has a second header");
        }

        Span<byte> bytes = stackalloc byte[TraceObjectBytes];
        _file.ReadExactly(bytes);
        _header = NettraceHeader.Read(version, bytes, _bounds);
        _tap?.OnHeader(version, bytes);
    }

    private void ReadBlock(BlockKind kind)
    {
        var header = _header ?? throw new NettraceDamage("it has no header");
        var size = Int32();
        Skip((int)(-_file.Position & 3)); // blocks begin at a multiple of four
        if (size < 0)
        {
            throw new NettraceDamage("the size of a block is negative");
        }

        if (size > _file.Length - _file.Position)
        {
            throw new EndOfStreamException();
        }

        var block = new NettraceBlock(kind, size) { Clock = header.Clock, PointerSize = header.PointerSize };
        try
        {
            _file.ReadExactly(block.Bytes);
            BlockCheck.Check(block, _kinds, header.Within(_bounds));
            if (kind == BlockKind.Events)
            {
                _order.Check(block);
            }

            _tap?.OnBlock(block);
            if (kind == BlockKind.Metadata)
            {
                AddKinds(block);
            }
            else
            {
                _handler(block);
            }
        }
        finally
        {
            block.Release();
        }
    }

    private void AddKinds(NettraceBlock block)
    {
        for (var cursor = new EventCursor(block.Events); cursor.Next();)
        {
            var (id, kind) = EventKind.Read(cursor.Payload, _bounds.AnyProvider);
            _kinds.Add(id, kind);
        }
    }

    private static BlockKind Kind(ReadOnlySpan<byte> name) =>
        name.SequenceEqual("EventBlock"u8) ? BlockKind.Events
        : name.SequenceEqual("StackBlock"u8) ? BlockKind.Stacks
        : name.SequenceEqual("MetadataBlock"u8) ? BlockKind.Metadata
        : name.SequenceEqual("SPBlock"u8) ? BlockKind.SequencePoint
        : throw new NettraceDamage("an object of an unknown type");

    private static int Between(int least, int most, int value, string otherwise) =>
        value >= least && value <= most ? value : throw new NettraceDamage(otherwise);

    private void Skip(int bytes)
    {
        for (; bytes > 0; bytes--)
        {
            Byte();
        }
    }

    private void Expect(byte tag)
    {
        if (Byte() != tag)
        {
            throw new NettraceDamage("an object does not end where it should");
        }
    }

    private byte Byte() => _file.ReadByte() is var value and >= 0 ? (byte)value : throw new EndOfStreamException();

    private int Int32()
    {
        Span<byte> bytes = stackalloc byte[sizeof(int)];
        _file.ReadExactly(bytes);
        return BinaryPrimitives.ReadInt32LittleEndian(bytes);
    }
}

/// <summary>How the reading of a .nettrace file ended.</summary>
/// <param name="Whole">The file ends as it should.</param>
/// <param name="Damage">A message that names the contradiction and the byte where reading stopped; null if there is
/// none. A file that is neither whole nor damaged is cut short.</param>
internal readonly record struct NettraceEnd(bool Whole, string? Damage);
