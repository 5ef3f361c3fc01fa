namespace Poolscope.Decode.Errors;

/// <summary>A recording holds several processes, and which one is meant was not said.</summary>
public sealed class ProcessNotChosenException : DecodeException
{
    public ProcessNotChosenException(string message)
        : base(message)
    {
    }

    public ProcessNotChosenException(string message, Exception inner)
        : base(message, inner)
    {
    }

    public ProcessNotChosenException()
    {
    }
}
