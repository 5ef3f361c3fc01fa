using System.Globalization;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Poolscope.Collect.Launch;

/// <summary>A process beside the collector that owns the port on which a launched command waits. Whatever happens to the
/// collector, its end of a pipe closes then, and the guard lets the command go. It stays until the last process of the
/// command has ended, for one that starts later would wait on the port as well; then it takes the port's folder away.</summary>
/// <remarks>It answers lines with lines: says `port ADDRESS` and `target PID`, and on `resume` says `resumed`.</remarks>
internal static partial class LaunchGuard
{
    /// <summary>First argument of the command line that becomes a guard.</summary>
    public const string Verb = "launch-guard";

    public const string PortLine = "port ";
    public const string TargetLine = "target ";
    public const string ResumeLine = "resume";
    public const string ResumedLine = "resumed";

    /// <summary>A collector that has not opened its streams by then is stuck, or stopped by a signal: a program that waits for it
    /// is to run all the same.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private const int SetName = 15; // PR_SET_NAME

    /// <param name="arguments">Number of the life line's reading end, and the ports of others.</param>
    public static async Task<int> RunAsync(IReadOnlyList<string> arguments)
    {
        // Ctrl-C, the terminal's end and people who end collectors by their name are not for the guard.
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

    /// <summary>Returns when the collector is gone.</summary>
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
            // It is gone, as its other pipe will tell.
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
