namespace Poolscope.Collect.Commands.Collecting;

/// <summary>The values of --scope: which scheduler events a tier that sees all processes keeps.</summary>
public enum KernelScope
{
    /// <summary>The events of all processes.</summary>
    System,

    /// <summary>Switches and wake-ups of the target's own threads.</summary>
    Target,
}
