namespace Poolscope.Decode.Errors;

/// <summary>The capture can be read, but the output made from it cannot be written.</summary>
public sealed class OutputRefusedException : DecodeException
{
    public OutputRefusedException(string message)
        : base(message)
    {
    }

    public OutputRefusedException(string message, Exception inner)
        : base(message, inner)
    {
    }

    public OutputRefusedException()
    {
    }
}
