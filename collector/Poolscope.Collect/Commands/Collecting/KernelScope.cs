namespace Poolscope.Collect.Commands.Collecting;

/// <summary>--scope: whose scheduler events are kept, by a tier that sees all processes.</summary>
public enum KernelScope
{
    /// <summary>Of all processes.</summary>
    System,

    /// <summary>Switches and wake-ups of the target's own threads.</summary>
    Target,
}
