namespace Poolscope.Look;

/// <summary>The error of a look that can read nothing. The message is one line: what is wrong, and what would allow the
/// look.</summary>
public sealed class LookException(string message, Exception? inner = null) : Exception(message, inner);
