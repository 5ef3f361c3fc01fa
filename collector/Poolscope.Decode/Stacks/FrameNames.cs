namespace Poolscope.Decode.Stacks;

/// <summary>How much is known of a frame, as frames.resolved numbers it.</summary>
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
    /// <summary>All code without a name is one frame.</summary>
    public static readonly Frame Unresolved = new(null, null, FrameKnown.Unresolved, null);
}

/// <summary>Names code addresses: the runtime's methods first, then native modules.</summary>
/// <param name="native">Null: not recorded.</param>
/// <param name="lines">Null: none are searched for.</param>
internal sealed class FrameNames(MethodMap methods, NativeModules? native, SourceLines? lines)
{
    /// <param name="address">Inside the instruction, not behind it.</param>
    /// <param name="time">CLOCK_MONOTONIC ns at which it ran.</param>
    /// <param name="always">The answer is the same for every time.</param>
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
