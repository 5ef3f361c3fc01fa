using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>Receives managed threads with both of their ids.</summary>
internal interface IThreadEvents
{
    /// <summary>A managed thread begins (85).</summary>
    /// <param name="id">The managed id of the thread.</param>
    void ThreadCreated(long time, int tid, int id);

    /// <summary>A rundown lists a managed thread that exists (159).</summary>
    void ThreadLives(long time, int tid, int id);
}

/// <summary>Decodes managed threads with both ids: each as it begins (85), and all of them in a rundown
/// (159).</summary>
internal static class ThreadEvents
{
    public const string RundownProvider = "Microsoft-Windows-DotNETRuntimeRundown";
    public const string RundownManifest = "a669021c-c450-4609-a035-5af59af4df18";

    private static readonly Provider Rundown = new(RundownProvider, RundownManifest);

    /// <summary>Decodes an event of the runtime's provider.</summary>
    public static bool DecodeCreated(in RawEvent e, IThreadEvents sink)
    {
        if (e.Id != 85 || !e.Has(28))
        {
            return false;
        }

        sink.ThreadCreated(e.Time, Tid(e), Id(e));
        return true;
    }

    /// <summary>Decodes an event of the rundown's provider.</summary>
    public static bool Decode(in RawEvent e, IThreadEvents sink)
    {
        if (e.Id != 159 || !e.Has(28))
        {
            return false;
        }

        sink.ThreadLives(e.Time, Tid(e), Id(e));
        return true;
    }

    /// <summary>Decodes an event if the rundown's provider wrote it.</summary>
    public static void DecodeRundown(in RawEvent e, IThreadEvents sink)
    {
        if (Rundown.Wrote(e.Provider))
        {
            Decode(e, sink);
        }
    }

    // The thread's address u64, AppDomainID u64, flags u32, managed id u32, OS thread id u32.
    private static int Id(in RawEvent e) => e.Int32(20);

    private static int Tid(in RawEvent e) => e.Thread(e.Int32(24));
}
