namespace Poolscope.Decode.Events;

/// <summary>The activities of a step of a call: its head that is sent, the answer's head, the answer's content.</summary>
/// <param name="Own">The step's own. Its path leads through the call's activity, also after another call has begun inside the call.</param>
/// <param name="Around">That it began in, told at its beginning alone: the call's, unless another call has begun inside it.</param>
internal readonly record struct CallStep(Guid Own, Guid Around);
