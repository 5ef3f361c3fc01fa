using System.Globalization;

namespace Poolscope.Collect.EventPipe;

/// <summary>What the versions of .NET can do for a capture.</summary>
public static class RuntimeVersion
{
    /// <summary>The first that can leave the stacks out of a session, which the runtime stream must.</summary>
    public const int FirstSupported = 8;

    public const int FirstWithWaitHandleEvents = 9;

    /// <returns>10 for ".NET 10.0.12"; null: unknown.</returns>
    public static int? Major(string? runtime) =>
        runtime?.Split(' ')[^1].Split('.')[0] is { } text && int.TryParse(text, CultureInfo.InvariantCulture, out var major) ? major : null;
}
