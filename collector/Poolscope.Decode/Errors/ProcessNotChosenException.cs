namespace Poolscope.Decode.Errors;

/// <summary>A recording holds several processes, and the caller did not choose one.</summary>
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
