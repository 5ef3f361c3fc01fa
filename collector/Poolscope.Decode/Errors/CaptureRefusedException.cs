namespace Poolscope.Decode.Errors;

/// <summary>A folder that is no capture, or one that nobody should read: it holds links, or its manifest is damaged or of
/// another format.</summary>
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
