"""The pool of .NET 1.1: as many threads as processors at once, then one each half second while items are queued and no
thread is idle, up to 25 for each processor.

Known: "one every 500 milliseconds until it hits its upper limit" (M. Kennedy 2008; J. Julmar says the same); 25 threads
for each processor (documentation of .NET 1.1 and 2.0). Uncertain: whether the gate skipped a look at a shrinking queue,
as the shared source of the time does (`rotor`): left out. The idle timeout is the shared source's.
"""

from __future__ import annotations

from dataclasses import dataclass

from poolscope.replay.policies.reference import NET11, ReferencePolicy

THREADS_PER_PROCESSOR = 25


@dataclass(frozen=True)
class Net11(ReferencePolicy):
    """.NET 1.1."""

    @staticmethod
    def on(processors: int, holding: bool = True) -> Net11:
        """Returns the pool with its default limits."""
        return Net11(processors, THREADS_PER_PROCESSOR * processors, processors, holding)

    @property
    def rule(self) -> int:
        return NET11
