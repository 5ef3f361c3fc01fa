namespace Poolscope.Decode;

/// <summary>A capture that cannot be decoded. The message is one line for the person who asked, without a stack trace.</summary>
public class DecodeException : Exception
{
    public DecodeException(string message)
        : base(message)
    {
    }

    public DecodeException(string message, Exception inner)
        : base(message, inner)
    {
    }

    public DecodeException()
    {
    }
}
