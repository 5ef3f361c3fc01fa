// Reads a .nettrace with TraceEvent alone, to compare its speed with `poolscope-collect decode`.
// Usage: Poolscope.TraceLogOnly log FILE ETLX | count FILE. `log` makes TraceEvent's own indexed file; `count` only
// walks the events. Both write the number of events.
using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.Etlx;

switch (args)
{
    case ["log", var file, var etlx]:
        {
            TraceLog.CreateFromEventPipeDataFile(file, etlx);
            using var log = new TraceLog(etlx);
            Console.WriteLine(log.EventCount);
            return 0;
        }

    case ["count", var file]:
        {
            var events = 0L;
            using var source = new EventPipeEventSource(file);
            source.AllEvents += _ => events++;
            source.Process();
            Console.WriteLine(events);
            return 0;
        }

    default:
        Console.Error.WriteLine("usage: Poolscope.TraceLogOnly log FILE ETLX | count FILE");
        return 2;
}
