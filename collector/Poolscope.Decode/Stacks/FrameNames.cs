namespace Poolscope.Decode.Stacks;

/// <summary>How precisely a frame is named, as frames.resolved numbers it.</summary>
internal enum FrameKnown : byte
{
    Unresolved,
    Method,
    NativeSymbol,
    NativeOffset,
}

/// <summary>A row of table `frames`.</summary>
internal sealed record Frame(string? Method, string? Module, FrameKnown Known, SourceLine? Line)
{
    /// <summary>The frame of all code without a name.</summary>
    public static readonly Frame Unresolved = new(null, null, FrameKnown.Unresolved, null);
}

/// <summary>Finds names for code addresses: in the runtime's methods first, then in native modules.</summary>
/// <param name="native">The native modules; null if not recorded.</param>
/// <param name="lines">The source lines; null to find none.</param>
internal sealed class FrameNames(MethodMap methods, NativeModules? native, SourceLines? lines)
{
    /// <param name="address">An address inside the instruction, not behind it.</param>
    /// <param name="time">The time at which the code ran, CLOCK_MONOTONIC ns.</param>
    /// <param name="always">Whether the result is the same at every time.</param>
    public Frame Find(ulong address, long time, out bool always)
    {
        if (methods.Find(address, time, out always) is { } code)
        {
            var module = methods.Module(code.Module);
            return new Frame(code.Name, module?.FileName, FrameKnown.Method, module is null ? null : Line(module, code, address));
        }

        if (native?.Find(address, time, out var nativeAlways) is { } function)
        {
            always &= nativeAlways;
            return new Frame(function.Function, function.Module, function.HasSymbol ? FrameKnown.NativeSymbol : FrameKnown.NativeOffset, null);
        }

        return Frame.Unresolved;
    }

    private SourceLine? Line(ManagedModule module, CompiledCode code, ulong address)
    {
        var offset = code.Instructions?.IlOffset((uint)(address - code.Start)) ?? -1;
        return lines?.Find(module, code.Token, offset);
    }
}
