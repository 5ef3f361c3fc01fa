"""A thread for every item that no idle thread can take, at once: no pool of history, but what "never short of threads"
looks like when it is run."""

from __future__ import annotations

from dataclasses import dataclass

from poolscope.base.arrays import FloatArray
from poolscope.replay.policies.policy import REFERENCE, Policy, limits_of
from poolscope.replay.policies.reference import INSTANT, parameters_of

KEEP_IDLE_MS = 20_000.0
"""As long as the pool of .NET 6 to 10 keeps an idle thread (dotnet/runtime, PortableThreadPool)."""


@dataclass(frozen=True)
class Instant(Policy):
    """Grows with its queue up to a maximum."""

    max_threads: int
    holding: bool = True

    @property
    def kind(self) -> int:
        return REFERENCE

    def parameters(self) -> FloatArray:
        return parameters_of(INSTANT, KEEP_IDLE_MS)

    def limits(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return limits_of(self.max_threads, self.max_threads)
