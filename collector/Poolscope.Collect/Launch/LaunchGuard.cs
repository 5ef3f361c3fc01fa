using System.Globalization;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Poolscope.Collect.Launch;

/// <summary>A process beside the collector that owns the port on which a launched command waits. If the collector ends,
/// in whatever way, its end of a pipe closes and the guard resumes the command. The guard stays until the last process
/// of the command has ended, because one that starts later would wait on the port as well. Then it deletes the port's
/// folder.</summary>
/// <remarks>The guard writes the lines `port ADDRESS` and `target PID`. It answers the line `resume` with
/// `resumed`.</remarks>
internal static partial class LaunchGuard
{
    /// <summary>The first argument of the command line that starts a guard.</summary>
    public const string Verb = "launch-guard";

    public const string PortLine = "port ";
    public const string TargetLine = "target ";
    public const string ResumeLine = "resume";
    public const string ResumedLine = "resumed";

    /// <summary>The time after which the guard resumes the command. A collector that has not opened its streams by then
    /// is stuck, or stopped by a signal, and the program must run all the same.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private const int SetName = 15; // PR_SET_NAME

    /// <param name="arguments">The descriptor of the life line's reading end, and the ports of others.</param>
    public static async Task<int> RunAsync(IReadOnlyList<string> arguments)
    {
        // Protects the guard from Ctrl-C, the end of the terminal, and users who end collectors by their name.
        _ = NewSession();
        _ = Process(SetName, "startup-guard", 0, 0, 0);
        using var lifeLine = new SafeFileHandle(int.Parse(arguments[0], CultureInfo.InvariantCulture), ownsHandle: true);
        using var collector = new FileStream(new SafeFileHandle(1, ownsHandle: false), FileAccess.Write, bufferSize: 0);
        StartupPort port;
        try
        {
            port = StartupPort.Open(arguments.Count > 1 ? arguments[1] : null);
        }
        catch (Exception e) when (e is IOException or SocketException or UnauthorizedAccessException)
        {
            Say(collector, e.Message);
            return 1;
        }

        using (port)
        {
            Say(collector, PortLine + port.Address);
            var told = TellTargetAsync(port, collector);
            await ObeyAsync(port, collector, told).ConfigureAwait(false);
            await port.LetGoAsync(CancellationToken.None).ConfigureAwait(false);
            await Task.Factory.StartNew(() => ReadToEnd(lifeLine), TaskCreationOptions.LongRunning).ConfigureAwait(false);
        }

        return 0;
    }

    /// <summary>Follows the collector's commands. Returns when the collector is gone.</summary>
    private static async Task ObeyAsync(StartupPort port, FileStream collector, Task told)
    {
        using var reader = new StreamReader(new FileStream(new SafeFileHandle(0, ownsHandle: false), FileAccess.Read, bufferSize: 0));
        using var resumed = new CancellationTokenSource();
        _ = LetGoInTimeAsync(port, told, resumed.Token);
        while (await LineAsync(reader).ConfigureAwait(false) is { } line)
        {
            if (line == ResumeLine)
            {
                await resumed.CancelAsync().ConfigureAwait(false);
                await port.LetGoAsync(CancellationToken.None).ConfigureAwait(false);
                Say(collector, ResumedLine);
            }
        }

        await resumed.CancelAsync().ConfigureAwait(false);
    }

    private static async Task LetGoInTimeAsync(StartupPort port, Task told, CancellationToken resumed)
    {
        try
        {
            await told.ConfigureAwait(false);
            await Task.Delay(Patience, resumed).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            return;
        }

        await port.LetGoAsync(CancellationToken.None).ConfigureAwait(false);
    }

    private static async Task TellTargetAsync(StartupPort port, FileStream collector)
    {
        var target = await port.Target.ConfigureAwait(false);
        Say(collector, string.Create(CultureInfo.InvariantCulture, $"{TargetLine}{target.Pid}"));
    }

    private static async Task<string?> LineAsync(StreamReader reader)
    {
        try
        {
            return await reader.ReadLineAsync().ConfigureAwait(false);
        }
        catch (IOException)
        {
            return null;
        }
    }

    private static void Say(FileStream collector, string line)
    {
        try
        {
            collector.Write(Encoding.UTF8.GetBytes(line + "\n"));
        }
        catch (IOException)
        {
            // The collector is gone; its other pipe will show that.
        }
    }

    private static void ReadToEnd(SafeFileHandle pipe)
    {
        using var reader = new FileStream(pipe, FileAccess.Read, bufferSize: 0);
        Span<byte> nothing = stackalloc byte[1];
        while (reader.Read(nothing) > 0)
        {
            // A program wrote to a descriptor that it does not know.
        }
    }

    [LibraryImport("libc", EntryPoint = "setsid", SetLastError = true)]
    private static partial int NewSession();

    [LibraryImport("libc", EntryPoint = "prctl", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Process(int option, string value, nint third, nint fourth, nint fifth);
}
