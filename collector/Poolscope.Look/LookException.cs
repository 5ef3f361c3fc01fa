namespace Poolscope.Look;

/// <summary>Nothing could be read. The message is one line: what is wrong, and what would allow the look.</summary>
public sealed class LookException(string message, Exception? inner = null) : Exception(message, inner);
