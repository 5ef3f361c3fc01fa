using Poolscope.Etl.Format;

namespace Poolscope.Etl.Reading;

/// <summary>Where in a file a buffer with events lies.</summary>
/// <param name="FirstNs">Time of its first event that has one; of a buffer that cannot be read, of the one before it.</param>
internal readonly record struct BufferPlace(long Offset, BufferHeader Header, long FirstNs);
