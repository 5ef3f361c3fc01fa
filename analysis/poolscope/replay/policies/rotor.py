"""The pool of the shared-source CLR, version 1 of November 2002 ("Rotor", its win32threadpool.cpp): as many threads as
processors at once; beyond, a gate thread looks every half second and creates one if the queue has not shrunk since its
last look and the last creation is more than 500 x 1.1^k ms ago, k being the threads beyond the processors.

Uncertain: whether the shipped CLR of the time used this branch: the source calls it the one for systems without a CPU
counter. Left out: no thread was created at an enqueue during a collection of garbage, an enqueue woke every idle
thread, and behind a long queue threads stayed idle for 81 s instead of 40.
"""

from __future__ import annotations

from dataclasses import dataclass

from poolscope.replay.policies.reference import ROTOR, ReferencePolicy

THREADS_PER_PROCESSOR = 25


@dataclass(frozen=True)
class Rotor(ReferencePolicy):
    """Shared-source CLR 1."""

    @staticmethod
    def on(processors: int, holding: bool = True) -> Rotor:
        """Returns the pool with its default limits."""
        return Rotor(processors, THREADS_PER_PROCESSOR * processors, processors, holding)

    @property
    def rule(self) -> int:
        return ROTOR
