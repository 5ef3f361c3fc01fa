using Microsoft.Diagnostics.Runtime;
using Poolscope.Look.Lines;
using Poolscope.Look.Memory.Items;
using Poolscope.Look.Memory.Opening;
using Poolscope.Look.Memory.Threads;

namespace Poolscope.Look.Memory;

/// <summary>Reads the pool of a live process, without stopping it, or of a dump.</summary>
public sealed class Looker : IDisposable
{
    private readonly DataTarget _target;
    private readonly ClrRuntime _runtime;
    private readonly string? _version;
    private readonly int? _pid;
    private readonly ThreadNumbers? _numbers;

    private Looker(DataTarget target, string? dac, int? pid, ThreadNumbers? numbers)
    {
        _target = target;
        _pid = pid;
        _numbers = numbers;
        var clr = target.ClrVersions.FirstOrDefault()
            ?? throw new LookException(pid is { } id
                ? $"process {id} has no .NET runtime library loaded: it is another program, or a single-file one, which look does not read"
                : "no .NET runtime library is in this dump: it is of another program, of a single-file one, or it was cut short");
        _version = Version(target, clr);
        var library = DacLocator.Find(clr, dac, pid, _version);
        try
        {
            // This package finds versions by a resource that only Windows has. The locator has already compared the
            // builds.
            _runtime = clr.CreateRuntime(library, ignoreMismatch: true);
        }
        catch (Exception e)
        {
            throw new LookException($"the runtime's memory cannot be read with {library}: {OneLine(e)}", e);
        }
    }

    /// <exception cref="LookException">The process cannot be read. The message says what would allow it.</exception>
    public static Looker Attach(int pid, string? dac = null)
    {
        var numbers = new ThreadNumbers($"/proc/{pid}/task");
        return Open(() => Live(pid, numbers), dac, pid, numbers,
            $"the memory of process {pid} cannot be read: run as its user with kernel.yama.ptrace_scope=0, as root, or with CAP_SYS_PTRACE");
    }

    /// <exception cref="LookException">The file is not a dump, not one of .NET, or too much of it is
    /// missing.</exception>
    public static Looker Load(string dump, string? dac = null) =>
        Open(() => DataTarget.LoadDump(dump, Options("")), dac, null, null, $"{dump}: not a memory dump, or a damaged one");

    /// <summary>Reads a dump that is already open.</summary>
    internal static Looker Of(DataTarget dump) => new(dump, null, null, null);

    /// <summary>Looks once, and reports each finding as soon as it is read.</summary>
    /// <param name="isLast">Reports the findings even if a part could not be read.</param>
    /// <returns>False if nothing was reported, because a part of the pool is in memory that the process got after the
    /// reader made its map of the memory.</returns>
    public bool Look(LookLimits limits, bool isLast, Action<LookLine> say)
    {
        var start = Environment.CpuUsage.TotalTime;
        TimeSpan Used() => Environment.CpuUsage.TotalTime - start;
        bool Expired() => Used() > limits.Time;
        var pool = PoolReader.Read(_runtime) with { Runnable = _pid is null ? null : Machine.Runnable() };
        var queues = new QueueReader(_runtime, limits, () => Used() > limits.Naming).Read(pool);
        if (_pid is { } id && pool.Minimum is null && QueueReader.IsUntouched(_runtime))
        {
            throw new LookException($"process {id} has not used its thread pool yet: it has no limits, threads or queues to look at");
        }

        // Another try would run out of time again, and the caller waits.
        if (!isLast && Used() <= limits.Naming && (pool is not { Minimum: not null, Completed: not null } || !queues.Complete))
        {
            return false;
        }

        say(new LookLine
        {
            Runtime = new RuntimeLine(_version, _runtime.ClrInfo.ModuleInfo.FileName, [.. _runtime.EnumerateModules().Select(module => module.Name).OfType<string>()]),
        });
        say(new LookLine { Pool = pool });
        say(new LookLine { Queues = queues });
        var threads = ThreadReader.Of(_runtime, limits);
        say(new LookLine { Threads = threads.Count });
        var waited = new ManagedLocks(_runtime);
        var actions = new InlinedActions(_runtime);
        using var sources = new SourcePlaces();
        foreach (var thread in threads.TakeWhile(_ => !Expired()))
        {
            var (line, top) = ThreadReader.Read(thread, limits, State(thread), actions, sources);
            say(new LookLine { Thread = line });
            waited.Note(line, top);
        }

        foreach (var held in LockReader.Read(_runtime, threads).Concat(waited.Read(threads)).TakeWhile(_ => !Expired()))
        {
            say(new LookLine { Lock = held });
        }

        // A dump does not record its time.
        if (_pid is not null && !Expired())
        {
            foreach (var timer in TimerReader.Read(_runtime, limits, Environment.TickCount64))
            {
                say(new LookLine { Timer = timer });
            }
        }

        say(new LookLine { Complete = !Expired() });
        return true;

        string? State(ClrThread thread) => _pid is { } process && _numbers is { } numbers ? Machine.State(process, numbers.Here(thread.OSThreadId)) : null;
    }

    public void Dispose()
    {
        _runtime.Dispose();
        _target.Dispose();
    }

    private static DataTarget Live(int pid, ThreadNumbers numbers)
    {
        var target = DataTarget.AttachToProcess(pid, suspend: false, Options($"/proc/{pid}/root"));
        return numbers.Differ ? new DataTarget(new NamespacedReader(target.DataReader, numbers), Options($"/proc/{pid}/root")) : target;
    }

    /// <summary>Returns the version in the folder name of a shared runtime, or else the version of its core library:
    /// 10.0.1226.5 belongs to release 10.0.12.</summary>
    private static string? Version(DataTarget target, ClrInfo clr)
    {
        if (Path.GetFileName(Path.GetDirectoryName(clr.ModuleInfo.FileName)) is { Length: > 0 } folder && char.IsAsciiDigit(folder[0]))
        {
            return folder;
        }

        var core = target.EnumerateModules().FirstOrDefault(module => Path.GetFileName(module.FileName) == "System.Private.CoreLib.dll")?.Version;
        return core is { Major: > 0 } ? $"{core.Major}.{core.Minor}.{core.Build / 100}" : null;
    }

    /// <summary>Returns options that never contact a symbol server: a look works without a network, and sends nothing
    /// to one.</summary>
    internal static DataTargetOptions Options(string root)
    {
        NoSymbolServers.StandIn();
        return new DataTargetOptions { SymbolPaths = [], FileLocator = new LocalFiles(root) };
    }

    private static Looker Open(Func<DataTarget> open, string? dac, int? pid, ThreadNumbers? numbers, string complaint)
    {
        DataTarget? target = null;
        try
        {
            target = open();
            return new Looker(target, dac, pid, numbers);
        }
        catch (LookException)
        {
            target?.Dispose();
            throw;
        }
        catch (Exception e)
        {
            target?.Dispose();
            throw new LookException($"{complaint} ({OneLine(e)})", e);
        }
    }

    private static string OneLine(Exception e) => e.Message.ReplaceLineEndings(" ");
}
