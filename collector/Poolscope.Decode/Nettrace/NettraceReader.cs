using Microsoft.Diagnostics.Tracing;

namespace Poolscope.Decode.Nettrace;

/// <summary>Reads a .nettrace file event by event, without TraceEvent's typed parsers: its FrameworkEventSource parser
/// never matches on nettrace, where the provider's GUID is a hash of its name, and none of them is needed to read
/// fixed offsets.</summary>
internal static class NettraceReader
{
    private const int ProgressStep = 1 << 20;

    private static ReadOnlySpan<byte> Magic => "Nettrace"u8;

    /// <summary>Delivers every event of the file, or counts them where <paramref name="handler"/> is null.</summary>
    /// <exception cref="DecodeException">The file is no .nettrace, of a newer format, or not readable.</exception>
    public static NettraceSummary Read(
        string path, RawEventHandler? handler, IProgress<string>? progress = null, CancellationToken cancellation = default)
    {
        var name = Path.GetFileName(path);
        if (!StartsLikeNettrace(path))
        {
            throw new DecodeException($"{name} is no .nettrace file.");
        }

        var pass = new Pass(handler, name, progress, cancellation);
        try
        {
            using var source = new EventPipeEventSource(path);
            try
            {
                source.AllEvents += pass.OnEvent;
                source.Process();
            }
            finally
            {
                pass.Lost = source.EventsLost;
            }
        }
        catch (FormatException) when (!pass.InHandler)
        {
            // "Read past end of stream": the writer or its machine died. What came before is good.
            pass.Cut = true;
        }
        catch (UnsupportedFormatVersionException e)
        {
            throw new DecodeException($"{name}: {e.Message}", e);
        }

        return pass.Summary();
    }

    /// <summary>A file shorter than its magic can be the start of anything, so also of a stream cut at once.</summary>
    private static bool StartsLikeNettrace(string path)
    {
        Span<byte> start = stackalloc byte[8];
        try
        {
            using var file = File.OpenRead(path);
            start = start[..file.ReadAtLeast(start, start.Length, throwOnEndOfStream: false)];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DecodeException($"{Path.GetFileName(path)} cannot be read: {e.Message}", e);
        }

        return Magic.StartsWith(start);
    }

    /// <summary>State of one reading of a file.</summary>
    private sealed class Pass(
        RawEventHandler? handler, string name, IProgress<string>? progress, CancellationToken cancellation)
    {
        // The longest payload of any event that is looked at is 76 bytes; others may be kilobytes.
        private byte[] _payload = new byte[256];
        private TickClock _clock;
        private long _events;
        private long _first = -1;
        private long _last = -1;
        private long _disordered;

        public int Lost { get; set; }

        public bool Cut { get; set; }

        public bool InHandler { get; private set; }

        public void OnEvent(TraceEvent e)
        {
#pragma warning disable CS0618 // "Not obsolete but discouraged": the raw tick is the clock of every other stream.
            var ticks = e.TimeStampQPC;
#pragma warning restore CS0618
            if (_events == 0)
            {
                _clock = TickClock.Of((EventPipeEventSource)e.Source, ticks);
                _first = _clock.Nanoseconds(ticks);
            }

            var time = _clock.Nanoseconds(ticks);
            if (time < _last)
            {
                _disordered++;
            }

            _last = Math.Max(_last, time);
            if (++_events % ProgressStep == 0)
            {
                progress?.Report($"{name}: {_events / 1e6:0.0} million events");
                cancellation.ThrowIfCancellationRequested();
            }

            if (handler is not null)
            {
                Deliver(e, time);
            }
        }

        public NettraceSummary Summary() => new(_events, Lost < 0 ? -1 : Lost, _first, _last, Cut, _disordered);

        private void Deliver(TraceEvent e, long time)
        {
            var length = e.EventDataLength;
            if (length > _payload.Length)
            {
                _payload = new byte[length * 2];
            }

            e.EventData(_payload, 0, 0, length);
            InHandler = true;
            handler!(new RawEvent(e.ProviderGuid, (int)e.ID, time, e.ThreadID, e.PointerSize, _payload.AsSpan(0, length)));
            InHandler = false;
        }
    }
}
