using System.IO.Compression;
using System.Text;

namespace Poolscope.Fuzz.Corpus;

/// <summary>Texts of `perf script`: pieces of texts that perf printed (traces/other-tools), and one with the lines that
/// those lack.</summary>
internal static class ScriptSeeds
{
    private const string Header = "# ";

    public static IReadOnlyList<Seed> Of(string golden, int most, byte[] manifest)
    {
        var made = Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(manifest).Replace(
            "\"format\": 1,", "\"format\": 1, \"made_from\": [ { \"file\": \"sched.script.txt\", \"from\": \"sched.txt\", \"format\": \"perf-script\" } ],", StringComparison.Ordinal));
        using var archive = ZipFile.OpenRead(Path.Combine(golden, "..", "other-tools", "perf-script.zip"));
        return [.. archive.Entries.Select(entry => new Seed(Encoding.UTF8.GetBytes(Piece(entry, most)), made)), new Seed(Encoding.UTF8.GetBytes(Rare), made)];
    }

    /// <summary>Returns the header, a few of the lines that perf makes itself, and events from the middle.</summary>
    private static string Piece(ZipArchiveEntry entry, int most)
    {
        using var reader = new StreamReader(entry.Open());
        var lines = reader.ReadToEnd().Split('\n', StringSplitOptions.RemoveEmptyEntries);
        var (head, madeUp) = (lines.Where(line => line.StartsWith(Header, StringComparison.Ordinal)), lines.Where(line => line.Contains(" 0.000000000: ", StringComparison.Ordinal)).Take(20));
        var text = new StringBuilder();
        foreach (var line in head.Concat(madeUp).Concat(lines.Skip(lines.Length / 3)).TakeWhile(line => text.Length + line.Length < most))
        {
            text.Append(line).Append('\n');
        }

        return text.ToString();
    }

    private const string Rare = """
        Warning: Processed 12 events and lost 1 chunks!
                 swapper     0/0     [000]     0.000000000: PERF_RECORD_FORK(7:7):(0:0)
                     app     0/0     [000]     0.000000000: PERF_RECORD_COMM: app:7/7
                 swapper     0/0     [000]  1000.000000100: PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid:     7/8
                     app     7/8     [000]  1000.000000200: PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:     0/0
                     app     7/8     [000]  1000.000000300: PERF_RECORD_FORK(7:9):(7:8)
                     app     7/9     [000]  1000.000000310: PERF_RECORD_COMM: .NET TP Worker:7/9
                     app     7/8     [000]  1000.000000400: sched:sched_wakeup_new: comm=app pid=9 prio=120 target_cpu=001
        app     7/8     [000]  1000.000000500:    1003009 cpu-clock:HG:
        	ffffffff8225fd19 finish_task_switch+0x19 ([kernel.kallsyms])
        	    7fc21f6e68a8 [unknown] (/memfd:doublemapper (deleted))

                 swapper     0/0     [001]  1000.000000600: sched:sched_switch: swapper/1:0 [120] R ==> .NET TP Worker:9 [120]
          .NET TP Worker     7/9     [001]  1000.000000700: sched:sched_waking: comm=a pid=1 b pid=8 prio=120 target_cpu=000
          .NET TP Worker     7/9     [001]  1000.000000800: sched:sched_wakeup: a [1]:8 [120]<CANT FIND FIELD success> CPU:000
          .NET TP Worker     7/9     [001]  1000.000000900: PERF_RECORD_LOST lost 69
          .NET TP Worker     7/9     [001] K 2026-11-25 12:26:12.176380  1000.000001000: 1 sched:sched_switch: .NET TP Worker:9 [120] D|W ==> swapper/1:0 [120]
                     app     7/8     [000]  1000.000001100: sched:sched_switch: prev_comm=app prev_pid=8 prev_prio=120 prev_state=R+ ==> next_comm= ==> next_comm= next_pid=10 next_prio=120
                     app     7/8     [000]  1000.000001050: sched:sched_stat_runtime: comm=app pid=8 runtime=100 [ns]
                   other    10/10    [000]  1000.000001200: sched:sched_process_exit: comm=other pid=10 prio=120 group_dead=true
                   other    10/10    [000]  1000.000001300: PERF_RECORD_EXIT(10:10):(1:1)
                   other    10/-1    [000]  1000.000001400: sched:sched_switch: prev_comm=other prev_pid=10 prev_prio=120 prev_state=X ==> next_comm=swapper/0 next_pid=0 next_prio=120
                 swapper     0/0     [000]     0.000000000: PERF_RECORD_LOST_SAMPLES lost 3

        """;
}
