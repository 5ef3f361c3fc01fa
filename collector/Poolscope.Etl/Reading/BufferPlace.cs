using Poolscope.Etl.Format;

namespace Poolscope.Etl.Reading;

/// <summary>A buffer that has events or reports a loss, and its position in the file.</summary>
/// <param name="FirstNs">Time of the first event. If that event has none or is unreadable, the time of the buffer
/// before.</param>
internal readonly record struct BufferPlace(long Offset, BufferHeader Header, long FirstNs);
