using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.EventPipe;

/// <summary>What the versions of .NET can do for a capture.</summary>
public static class RuntimeVersion
{
    public const int FirstSupported = 8;

    /// <summary>The first that can leave the stacks out of a session.</summary>
    public const int FirstWithoutStacks = 9;

    public const int FirstWithWaitHandleEvents = 9;

    /// <summary>What a runtime cannot do, for the manifest.</summary>
    /// <param name="stacks">Its runtime session could be had with stacks only.</param>
    public static IReadOnlyList<string> Limits(string? runtime, bool stacks) =>
    [
        .. stacks ? [RuntimeLimit.StacksOnEveryEvent] : Array.Empty<string>(),
        .. stacks || Major(runtime) < FirstWithWaitHandleEvents ? [RuntimeLimit.NoWaitHandleEvents] : Array.Empty<string>(),
    ];

    /// <returns>10 for ".NET 10.0.12"; null: unknown.</returns>
    public static int? Major(string? runtime) => TargetInfo.Major(runtime);
}
