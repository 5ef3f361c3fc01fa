namespace Poolscope.Decode.Errors;

/// <summary>The input is not a capture, or must not be read: it holds links, or its manifest is damaged or of an
/// unknown format.</summary>
public sealed class CaptureRefusedException : DecodeException
{
    public CaptureRefusedException(string message)
        : base(message)
    {
    }

    public CaptureRefusedException(string message, Exception inner)
        : base(message, inner)
    {
    }

    public CaptureRefusedException()
    {
    }
}
