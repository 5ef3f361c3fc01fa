using Poolscope.Decode.Events;
using Poolscope.Tables;

namespace Poolscope.Decode.Pool;

/// <summary>Table `hill_climbing`: throughput samples and full statistics.</summary>
internal sealed class HillClimbingTable
{
    private const byte Sample = 0;
    private const byte Stats = 1;

    // In the order of HillClimbingStats.
    private static readonly string[] NumberColumns =
    [
        "duration", "throughput", "thread_wave", "throughput_wave", "throughput_error",
        "average_throughput_error", "throughput_ratio", "confidence", "new_control_setting",
    ];

    private readonly Column<long> _time;
    private readonly Column<byte> _event;
    private readonly Column<double>[] _numbers;
    private readonly Column<int> _magnitude;

    public HillClimbingTable()
    {
        _time = Table.Int64("time");
        _event = Table.Enum("event");
        _numbers = Array.ConvertAll(NumberColumns, Table.Float64);
        _magnitude = Table.Int32("new_thread_wave_magnitude");
    }

    public Table Table { get; } = Table.Create("hill_climbing");

    public void AddSample(long time, double throughput) => Add(
        time,
        Sample,
        new HillClimbingStats(
            double.NaN, throughput, double.NaN, double.NaN, double.NaN, double.NaN, double.NaN, double.NaN, double.NaN, -1));

    public void AddStats(long time, in HillClimbingStats stats) => Add(time, Stats, stats);

    private void Add(long time, byte kind, in HillClimbingStats s)
    {
        ReadOnlySpan<double> numbers =
        [
            s.Duration, s.Throughput, s.ThreadWave, s.ThroughputWave, s.ThroughputError,
            s.AverageThroughputError, s.ThroughputRatio, s.Confidence, s.NewControlSetting,
        ];
        _time.Add(time);
        _event.Add(kind);
        for (var i = 0; i < numbers.Length; i++)
        {
            _numbers[i].Add(numbers[i]);
        }

        _magnitude.Add(s.NewThreadWaveMagnitude);
    }
}
