using System.Diagnostics;
using Microsoft.Diagnostics.Runtime;

namespace Poolscope.Look;

/// <summary>Reads the pool of a live process, which it does not stop, or of a dump.</summary>
public sealed class Looker : IDisposable
{
    private readonly DataTarget _target;
    private readonly ClrRuntime _runtime;
    private readonly int? _pid;

    private Looker(DataTarget target, string? dac, int? pid)
    {
        _target = target;
        _pid = pid;
        var clr = target.ClrVersions.FirstOrDefault()
            ?? throw new LookException(pid is { } id ? $"process {id} has no .NET runtime loaded" : "the dump is of a program without the .NET runtime, or lacks its memory");
        try
        {
            _runtime = clr.CreateRuntime(DacLocator.Find(clr, dac, pid), ignoreMismatch: true);
        }
        catch (Exception e) when (e is not LookException)
        {
            throw new LookException($"the memory of this runtime cannot be read with that libmscordaccore.so: {OneLine(e)}", e);
        }
    }

    /// <exception cref="LookException">It cannot be read; the message says what would allow it.</exception>
    public static Looker Attach(int pid, string? dac = null) =>
        Open(() => DataTarget.AttachToProcess(pid, suspend: false, Options()), dac, pid,
            $"process {pid} cannot be read: run as its user with kernel.yama.ptrace_scope=0, or as root, or with CAP_SYS_PTRACE");

    /// <exception cref="LookException">The file is no dump, or not of .NET, or too little of it is there.</exception>
    public static Looker Load(string dump, string? dac = null)
    {
        // A pipe has no length: opening one would wait for its writer.
        if (new FileInfo(dump) is not { Exists: true, Length: > 0 })
        {
            throw new LookException(Path.Exists(dump) ? $"{dump}: not a dump" : $"{dump}: there is no such file");
        }

        return Open(() => DataTarget.LoadDump(dump, Options()), dac, null, $"{dump}: not a dump, or a damaged one");
    }

    /// <summary>Looks once; limits and counts are read twice.</summary>
    public LookReading Look(LookLimits? within = null)
    {
        var limits = within ?? new LookLimits();
        var clock = Stopwatch.StartNew();
        bool Expired() => clock.Elapsed > limits.Time;
        _runtime.FlushCachedData();
        var before = Pool();
        var reader = new QueueReader(_runtime, limits, Expired);
        var first = reader.Read(name: true).ToDictionary();
        var threads = StackReader.Read(_runtime, limits, _pid, Expired);
        _runtime.FlushCachedData();
        var second = reader.Read(name: false);
        var after = Pool();
        var queues = first.Select(queue => new QueueReading(queue.Key, queue.Value, second.GetValueOrDefault(queue.Key) != queue.Value)).ToList();
        return new LookReading(
            Path.GetFileName(Path.GetDirectoryName(_runtime.ClrInfo.ModuleInfo.FileName)) ?? "", before with { About = before != after }, queues,
            reader.Methods, Math.Max(0, queues.Sum(queue => queue.Length) - reader.Named), threads, [], reader.Complete && !Expired(), clock.Elapsed.TotalMilliseconds);
    }

    public void Dispose()
    {
        _runtime.Dispose();
        _target.Dispose();
    }

    private PoolReading Pool() => _runtime.ThreadPool is { } pool
        ? new PoolReading(pool.MinThreads, pool.MaxThreads, Goal(), pool.ActiveWorkerThreads, pool.IdleWorkerThreads, false)
        : new PoolReading(null, null, null, null, null, false);

    /// <summary>The third of the 16-bit counts that the pool changes together; null where this runtime keeps them elsewhere.</summary>
    private int? Goal()
    {
        var instance = _runtime.BaseClassLibrary.GetTypeByName("System.Threading.PortableThreadPool")?.GetStaticFieldByName("ThreadPoolInstance");
        if (instance is null || _runtime.AppDomains.Length == 0
            || instance.ReadObject(_runtime.AppDomains[0]) is not { IsValid: true, IsNull: false, Type: { } type } pool
            || type.GetFieldByName("_separated") is not { } separated
            || pool.ReadValueTypeField(separated) is not { IsValid: true, Type: { } kept } counters || kept.GetFieldByName("counts") is null
            || counters.ReadValueTypeField("counts") is not { IsValid: true, Type: { } counted } counts || counted.GetFieldByName("_data") is null)
        {
            return null;
        }

        return (short)(counts.ReadField<ulong>("_data") >> 32);
    }

    /// <summary>No symbol server is ever asked: the look works without a network, and tells nobody.</summary>
    private static DataTargetOptions Options() => new() { SymbolPaths = [] };

    private static Looker Open(Func<DataTarget> open, string? dac, int? pid, string complaint)
    {
        DataTarget? target = null;
        try
        {
            target = open();
            return new Looker(target, dac, pid);
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
