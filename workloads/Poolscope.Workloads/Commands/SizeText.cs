using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Commands;

/// <summary>Formats the size of a run in words.</summary>
internal static class SizeText
{
    public static string Of(RunSettings settings)
    {
        if (settings.Count == 0)
        {
            var items = settings.Rate is { } rate ? $"{rate} items/s" : "items of its own choice or none";
            return $"{items}, for {settings.WorkMs} ms";
        }

        var pace = settings.IntervalMs == 0 ? "all at once" : $"one every {settings.IntervalMs} ms";
        var guard = settings.Guard is { } held ? $", guard {held.Name()}" : "";
        var client = settings.Client is { } kind ? $", client {kind.Name()}" : "";
        return $"{settings.Count} items x {settings.WorkMs} ms, {pace}, "
               + $"min {Limit(settings.MinThreads)}, max {Limit(settings.MaxThreads)} threads{client}{guard}";
    }

    private static string Limit(int? threads) => threads?.ToString() ?? "default";
}
