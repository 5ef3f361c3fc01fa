namespace Poolscope.Decode.Errors;

/// <summary>A capture cannot be decoded. The message is one line for the user, without a stack trace and without
/// characters that move a terminal's cursor: part of it may come from the capture.</summary>
public class DecodeException : Exception
{
    private const int Longest = 500;

    public DecodeException(string message)
        : base(Plain(message))
    {
    }

    public DecodeException(string message, Exception inner)
        : base(Plain(message), inner)
    {
    }

    public DecodeException()
    {
    }

    /// <summary>Returns the text as one line of at most 500 characters, with an ellipsis if it is longer.</summary>
    internal static string Plain(string message)
    {
        ArgumentNullException.ThrowIfNull(message);
        var line = string.Create(Math.Min(message.Length, Longest), message, static (to, from) =>
        {
            for (var i = 0; i < to.Length; i++)
            {
                to[i] = char.IsControl(from[i]) || from[i] is '\u2028' or '\u2029' ? ' ' : from[i];
            }
        });
        return message.Length > Longest ? line + " ..." : line;
    }
}
