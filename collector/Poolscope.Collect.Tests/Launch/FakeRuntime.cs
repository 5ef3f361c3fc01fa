using System.Buffers.Binary;
using System.IO.Pipes;
using System.Net.Sockets;
using System.Text;

namespace Poolscope.Collect.Tests.Launch;

/// <summary>Calls a startup port as a runtime does: identifies itself, takes one command on the connection, and calls
/// again.</summary>
internal sealed class FakeRuntime(Func<CancellationToken, Task<Stream>> connect, int pid)
{
    private const int HeaderBytes = 20;
    private const byte SetEnvironment = 3;
    private const byte Resume = 1;

    private readonly Guid _id = Guid.NewGuid();

    /// <param name="address">Path of a Unix socket.</param>
    public FakeRuntime(string address, int pid)
        : this(cancel => BySocketAsync(address, cancel), pid)
    {
    }

    /// <param name="name">Name of a Windows pipe.</param>
    public static FakeRuntime OfPipe(string name, int pid) => new(cancel => ByPipeAsync(name, cancel), pid);

    /// <summary>The variable that the port set, and its value.</summary>
    public (string Name, string? Value)? Environment { get; private set; }

    /// <summary>Returns when the port has resumed the runtime.</summary>
    public async Task RunAsync(CancellationToken cancel)
    {
        while (true)
        {
            using var stream = await connect(cancel);
            var advertise = new byte[34];
            "ADVR_V1\0"u8.CopyTo(advertise);
            _id.TryWriteBytes(advertise.AsSpan(8));
            BinaryPrimitives.WriteUInt64LittleEndian(advertise.AsSpan(24), (ulong)pid);
            await stream.WriteAsync(advertise, cancel);
            var header = new byte[HeaderBytes];
            await stream.ReadExactlyAsync(header, cancel);
            var payload = new byte[BinaryPrimitives.ReadUInt16LittleEndian(header.AsSpan(14)) - HeaderBytes];
            await stream.ReadExactlyAsync(payload, cancel);
            if (header[17] == SetEnvironment)
            {
                var (name, rest) = Text(payload);
                Environment = (name!, Text(rest).Value);
            }

            header[16] = 0xFF; // the server's command set; its command 0 is "ok"
            var command = header[17];
            header[17] = 0;
            BinaryPrimitives.WriteUInt16LittleEndian(header.AsSpan(14), HeaderBytes);
            await stream.WriteAsync(header, cancel);
            if (command == Resume)
            {
                return;
            }
        }
    }

    private static async Task<Stream> BySocketAsync(string address, CancellationToken cancel)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await socket.ConnectAsync(new UnixDomainSocketEndPoint(address), cancel);
        return new NetworkStream(socket, ownsSocket: true);
    }

    private static async Task<Stream> ByPipeAsync(string name, CancellationToken cancel)
    {
        var pipe = new NamedPipeClientStream(".", name, PipeDirection.InOut, PipeOptions.Asynchronous);
        await pipe.ConnectAsync(cancel);
        return pipe;
    }

    private static (string? Value, byte[] After) Text(byte[] payload)
    {
        var units = (int)BinaryPrimitives.ReadUInt32LittleEndian(payload);
        var end = 4 + (units * 2);
        return (units == 0 ? null : Encoding.Unicode.GetString(payload.AsSpan(4, (units - 1) * 2)), payload[end..]);
    }
}
