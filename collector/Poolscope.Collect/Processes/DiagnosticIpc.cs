using System.Buffers.Binary;
using System.IO.Pipes;
using System.Net.Sockets;
using System.Text;

namespace Poolscope.Collect.Processes;

/// <summary>The commands of the runtime's diagnostic IPC protocol that Microsoft.Diagnostics.NETCore.Client does not
/// expose, or sends only by the runtime's own socket. Layout: docs/design-docs/ipc-protocol.md of
/// dotnet/diagnostics.</summary>
internal static class DiagnosticIpc
{
    private const int HeaderBytes = 20;
    private const byte ProcessCommandSet = 0x04;
    private const byte ResumeRuntime = 0x01;
    private const byte SetEnvironment = 0x03;
    private const byte ProcessInfo2 = 0x04;
    private const byte ServerCommandSet = 0xFF;
    private const byte Ok = 0x00;

    private static ReadOnlySpan<byte> Magic => "DOTNET_IPC_V1\0"u8;

    /// <summary>Requests the version of a runtime, such as 10.0.12.</summary>
    /// <returns>Null if the process did not answer in time, or did not know the command (.NET 5 and older).</returns>
    public static async Task<string?> RuntimeVersionAsync(string socketPath, TimeSpan timeout)
    {
        using var cancel = new CancellationTokenSource(timeout);
        try
        {
            using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(socketPath), cancel.Token).ConfigureAwait(false);
            var stream = new NetworkStream(socket, ownsSocket: false);
            await using (stream.ConfigureAwait(false))
            {
                return await AskAsync(stream, ProcessInfo2, cancel.Token).ConfigureAwait(false) is { } payload ? RuntimeVersion(payload) : null;
            }
        }
        catch (Exception e) when (e is SocketException or IOException or OperationCanceledException or ArgumentException)
        {
            return null;
        }
    }

    /// <summary>Requests the command line and the version of a runtime on Windows, by its named pipe.</summary>
    /// <returns>Null if the process has no such pipe, or did not answer in time.</returns>
    public static async Task<RuntimeAnswer?> AskByPipeAsync(int pid, TimeSpan timeout)
    {
        using var cancel = new CancellationTokenSource(timeout);
        try
        {
            var pipe = new NamedPipeClientStream(".", $"dotnet-diagnostic-{pid}", PipeDirection.InOut, PipeOptions.Asynchronous);
            await using (pipe.ConfigureAwait(false))
            {
                await pipe.ConnectAsync(cancel.Token).ConfigureAwait(false);
                return await AskAsync(pipe, ProcessInfo2, cancel.Token).ConfigureAwait(false) is { } payload
                    && RuntimeVersion(payload) is { } version && Texts(payload) is [var command, ..]
                        ? new RuntimeAnswer(command, version)
                        : null;
            }
        }
        catch (Exception e) when (e is IOException or OperationCanceledException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>Resumes a runtime that waits at its start. The connection must be one that the runtime itself made: the
    /// command resumes the port through which it arrives, and no other.</summary>
    /// <returns>False if the runtime refused, or is gone.</returns>
    public static async Task<bool> ResumeAsync(Stream connection, CancellationToken cancel)
    {
        try
        {
            return await AskAsync(connection, ResumeRuntime, cancel).ConfigureAwait(false) is not null;
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException)
        {
            return false;
        }
    }

    /// <summary>Changes a variable of a runtime's environment. A runtime older than .NET 6 refuses.</summary>
    /// <param name="connection">A connection that the runtime itself made.</param>
    /// <param name="value">The new value, or null to remove the variable.</param>
    public static async Task SetEnvironmentAsync(Stream connection, string name, string? value, CancellationToken cancel)
    {
        var payload = new byte[TextBytes(name) + TextBytes(value)];
        WriteText(payload.AsSpan(WriteText(payload, name)), value);
        _ = await AskAsync(connection, SetEnvironment, cancel, payload).ConfigureAwait(false);
    }

    /// <summary>Returns the version in an answer. Five strings follow a pid and a GUID: command line, operating system,
    /// architecture, entry assembly, version. Each is a count of UTF-16 units, including the closing zero, then the
    /// units.</summary>
    internal static string? RuntimeVersion(ReadOnlySpan<byte> payload)
    {
        // The text is like "10.0.12-servicing.25612.1+COMMIT". The commit is of no use here.
        var version = Texts(payload)?[4].Split('+', ' ')[0];
        return version is { Length: > 0 } ? version : null;
    }

    private static string[]? Texts(ReadOnlySpan<byte> payload)
    {
        const int fixedBytes = 8 + 16;
        var texts = new string[5];
        if (payload.Length < fixedBytes)
        {
            return null;
        }

        payload = payload[fixedBytes..];
        for (var i = 0; i < texts.Length; i++)
        {
            if (payload.Length < 4 || BinaryPrimitives.ReadUInt32LittleEndian(payload) is var units && units > (payload.Length - 4) / 2)
            {
                return null;
            }

            var text = payload.Slice(4, (int)units * 2);
            texts[i] = Encoding.Unicode.GetString(text).TrimEnd('\0');
            payload = payload[(4 + text.Length)..];
        }

        return texts;
    }

    private static int TextBytes(string? text) => sizeof(uint) + (text is null ? 0 : (text.Length + 1) * sizeof(char));

    /// <returns>The bytes written.</returns>
    private static int WriteText(Span<byte> to, string? text)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(to, text is null ? 0 : (uint)text.Length + 1);
        Encoding.Unicode.GetBytes(text ?? "", to[sizeof(uint)..]);
        return TextBytes(text);
    }

    /// <returns>The answer's payload, or null if the runtime answered with an error.</returns>
    private static async Task<byte[]?> AskAsync(Stream stream, byte command, CancellationToken cancel, byte[]? argument = null)
    {
        var message = new byte[HeaderBytes + (argument?.Length ?? 0)];
        Magic.CopyTo(message);
        argument?.CopyTo(message, HeaderBytes);
        BinaryPrimitives.WriteUInt16LittleEndian(message.AsSpan(14), (ushort)message.Length);
        message[16] = ProcessCommandSet;
        message[17] = command;
        await stream.WriteAsync(message, cancel).ConfigureAwait(false);

        var header = new byte[HeaderBytes];
        await stream.ReadExactlyAsync(header, cancel).ConfigureAwait(false);
        var size = BinaryPrimitives.ReadUInt16LittleEndian(header.AsSpan(14));
        if (!header.AsSpan(0, Magic.Length).SequenceEqual(Magic) || size < HeaderBytes)
        {
            return null;
        }

        var payload = new byte[size - HeaderBytes];
        await stream.ReadExactlyAsync(payload, cancel).ConfigureAwait(false);
        return header[16] == ServerCommandSet && header[17] == Ok ? payload : null;
    }
}

/// <summary>A runtime's answer about itself.</summary>
/// <param name="Command">The command line as one text, as Windows has it.</param>
/// <param name="Version">The version, such as 10.0.12.</param>
internal sealed record RuntimeAnswer(string Command, string Version);
