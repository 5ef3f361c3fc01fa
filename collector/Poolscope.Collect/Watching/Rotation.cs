namespace Poolscope.Collect.Watching;

public enum RotationStep
{
    /// <summary>Nothing is due.</summary>
    None,

    /// <summary>Begin another recording.</summary>
    Begin,

    /// <summary>Throw the elder recording away.</summary>
    DropElder,
}

/// <summary>Says when recordings begin and are thrown away, so that one of them always reaches back far enough and none of
/// them has a seam. Two run, staggered: the elder is thrown away as soon as the younger is old enough.</summary>
/// <param name="Before">How far back the elder is to reach at least; it reaches back twice as far at most.</param>
public sealed record Rotation(TimeSpan Before)
{
    /// <param name="elder">Age of the recording that began first; null: none runs.</param>
    /// <param name="younger">Age of the other one; null: there is none.</param>
    /// <param name="incident">A recording of an incident goes on beside these. There are never more than two in all: each costs
    /// the target its share.</param>
    public RotationStep Next(TimeSpan? elder, TimeSpan? younger, bool incident) => (elder, younger) switch
    {
        (null, _) => RotationStep.Begin,
        ({ } old, null) when old >= Before && !incident => RotationStep.Begin,
        (_, { } young) when young >= Before => RotationStep.DropElder,
        _ => RotationStep.None,
    };
}
