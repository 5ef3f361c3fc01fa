"""The pool of .NET 3.5 (2.0 SP1): as many threads as processors at once, then one after ever longer gaps, up to 250 for
each processor.

Known: 250 threads for each processor instead of 25, and gaps that grow, a "logarithmic backoff" (InfoQ, M. Kennedy and
J. Julmar, 2008). The formula was never published. Model: the shared source's, 500 x 1.1^k ms before the (k+1)th thread
beyond the processors (`rotor`). Uncertain besides: whether gaps were rounded up to a tick of the gate: here they are
not. SP1's defect (one thread per 500 ms below the minimum as well) is left out.
"""

from __future__ import annotations

from dataclasses import dataclass

from poolscope.replay.policies.reference import NET35, ReferencePolicy

THREADS_PER_PROCESSOR = 250


@dataclass(frozen=True)
class Net35(ReferencePolicy):
    """.NET 3.5."""

    @staticmethod
    def on(processors: int, holding: bool = True) -> Net35:
        """Returns the pool with its default limits."""
        return Net35(processors, THREADS_PER_PROCESSOR * processors, processors, holding)

    @property
    def rule(self) -> int:
        return NET35
