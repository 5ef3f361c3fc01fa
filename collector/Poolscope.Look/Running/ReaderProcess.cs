using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using Poolscope.Look.Lines;
using Poolscope.Look.Memory;

namespace Poolscope.Look.Running;

/// <summary>Starts a reader and collects its lines until it finishes, dies or reaches a limit.</summary>
public sealed class ReaderProcess : IDisposable
{
    /// <summary>1 GiB, in the hexadecimal form of the runtime's settings.</summary>
    public const string MostHeap = "40000000";

    /// <summary>The limit of a reader's own memory, bytes. The library that reads the runtime's memory is native code
    /// without a limit.</summary>
    public const long MostMemory = 2L << 30;

    private static readonly TimeSpan Beat = TimeSpan.FromMilliseconds(50);

    /// <summary>The time after which a reader that yields must have had its share of a core.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(0.2);

    private const double LeastShare = 0.5;

    private readonly Process _process;
    private readonly long _memory;
    private bool _yields;
    private TimeSpan _used;
    private Task<string?>? _line;

    private ReaderProcess(Process process, long memory, bool yields)
    {
        _process = process;
        _memory = memory;
        _yields = yields && IdleClass.Join(process.Id);
        _ = process.StandardError.ReadToEndAsync(CancellationToken.None);
    }

    /// <summary>Returns the command line that makes this program a reader. The parameters are those of
    /// <see cref="LookChild.Arguments"/>.</summary>
    public static ProcessStartInfo Command(string kind, string target, string? dac, TimeSpan time, TimeSpan? again = null)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!);
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet")
        {
            start.ArgumentList.Add("exec");
            start.ArgumentList.Add(Assembly.GetEntryAssembly()!.Location);
        }

        foreach (var argument in LookChild.Arguments(kind, target, dac, time, again))
        {
            start.ArgumentList.Add(argument);
        }

        return start;
    }

    /// <param name="start">The command line that becomes a reader.</param>
    /// <param name="yields">True if the reader runs only while no other thread wants the core, so that it does not slow
    /// the process that it reads. A reader that gets no core that way is ended (<see cref="GotNoCore"/>).</param>
    /// <param name="memory">The limit of the reader's own memory, bytes.</param>
    /// <exception cref="Win32Exception">The reader cannot be started.</exception>
    public static ReaderProcess Start(ProcessStartInfo start, bool yields = false, long memory = MostMemory)
    {
        start.UseShellExecute = false;
        start.RedirectStandardOutput = true;
        start.RedirectStandardError = true;

        // A reader that dies is expected. It leaves no dump, opens no diagnostic port, and has a small heap.
        start.Environment["DOTNET_DbgEnableMiniDump"] = "0";
        start.Environment["DOTNET_EnableDiagnostics"] = "0";
        start.Environment["DOTNET_gcServer"] = "0";
        start.Environment["DOTNET_GCHeapHardLimit"] = MostHeap; // a damaged dump may name any length
        start.Environment["DOTNET_TieredPGO"] = "0";
        start.Environment.Remove("DOTNET_DiagnosticPorts");
        return new ReaderProcess(Process.Start(start)!, memory, yields);
    }

    /// <summary>Gets a value indicating whether the reader was ended because others wanted the cores. One that does not
    /// yield may read more.</summary>
    public bool GotNoCore { get; private set; }

    /// <summary>Collects the next reading.</summary>
    /// <param name="cpu">CPU time after which the reader is ended. A reader that follows an endless list uses CPU time;
    /// one that the machine does not let run uses none.</param>
    /// <param name="wall">Time after which the reader is ended in any case.</param>
    /// <param name="enough">Whether a reading is enough; null: everything is read.</param>
    /// <returns>The reading. <see cref="LookReading.EndedBy"/> names the limit that the reader reached, if any. The
    /// reader then says no more.</returns>
    public async Task<LookReading> ReadAsync(TimeSpan cpu, TimeSpan wall, CancellationToken stop, Func<LookReading, bool>? enough = null)
    {
        var clock = Stopwatch.StartNew();
        var most = _used + cpu;
        var reading = new LookReading();
        while (!reading.Ended && (reading.EndedBy = Reached(clock.Elapsed, wall, most, cpu)) is null)
        {
            _line ??= _process.StandardOutput.ReadLineAsync(CancellationToken.None).AsTask();
            if (await Task.WhenAny(_line, Task.Delay(Beat, stop)).ConfigureAwait(false) != _line)
            {
                stop.ThrowIfCancellationRequested();
                continue;
            }

            if (await _line.ConfigureAwait(false) is not { } text)
            {
                reading.EndedBy = "broke off";
                break;
            }

            _line = null;
            if (LookJson.Parse(text) is { } line)
            {
                reading.Add(line);
            }

            if (enough?.Invoke(reading) == true)
            {
                break;
            }
        }

        if (reading.EndedBy is not null)
        {
            _process.Kill();
        }

        _yields = false; // from now on the reader also sleeps
        return reading;
    }

    public void Dispose()
    {
        _process.Kill();
        _process.Dispose();
    }

    private string? Reached(TimeSpan elapsed, TimeSpan wall, TimeSpan most, TimeSpan cpu)
    {
        try
        {
            _used = _process.TotalProcessorTime;
            GotNoCore = _yields && elapsed > Patience && _used < elapsed * LeastShare;
            return GotNoCore ? "got no core"
                : elapsed >= wall ? $"did not end within {wall.TotalSeconds:0} s"
                : _used >= most ? $"took more than {cpu.TotalSeconds:0.#} s of CPU time"
                : OwnMemory(_process.Id) > _memory ? $"took more than {_memory / 1048576.0:N0} MiB of memory"
                : null;
        }
        catch (Exception e) when (e is InvalidOperationException or Win32Exception)
        {
            return null; // the reader has ended, and its last lines are still to be read
        }
    }

    /// <returns>Bytes of anonymous memory, which excludes the pages of a mapped dump. 0: not known.</returns>
    private static long OwnMemory(int pid)
    {
        const string Field = "RssAnon:";
        try
        {
            var line = File.ReadLines($"/proc/{pid}/status").FirstOrDefault(line => line.StartsWith(Field, StringComparison.Ordinal));
            return long.TryParse(line?[Field.Length..].Replace("kB", "", StringComparison.Ordinal), NumberStyles.AllowLeadingWhite | NumberStyles.AllowTrailingWhite, CultureInfo.InvariantCulture, out var kilobytes) ? kilobytes << 10 : 0;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return 0;
        }
    }
}
