using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.EventPipe;

/// <summary>The features of each .NET version that a capture depends on.</summary>
public static class RuntimeVersion
{
    public const int FirstSupported = 8;

    /// <summary>The first version that can leave stacks out of a session.</summary>
    public const int FirstWithoutStacks = 9;

    public const int FirstWithWaitHandleEvents = 9;

    /// <summary>Returns the limits of a runtime, for the manifest.</summary>
    /// <param name="stacks">Whether the runtime session could be opened only with stacks.</param>
    public static IReadOnlyList<string> Limits(string? runtime, bool stacks) =>
    [
        .. stacks ? [RuntimeLimit.StacksOnEveryEvent] : Array.Empty<string>(),
        .. stacks || Major(runtime) < FirstWithWaitHandleEvents ? [RuntimeLimit.NoWaitHandleEvents] : Array.Empty<string>(),
    ];

    /// <returns>The major version, such as 10 for ".NET 10.0.12", or null if it is unknown.</returns>
    public static int? Major(string? runtime) => TargetInfo.Major(runtime);
}
