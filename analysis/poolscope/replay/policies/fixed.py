"""A fixed number of threads, all created before the first item: S. Toub's ManagedThreadPool sample (MSDN, 2003 and
2004), whose widely copied revision has ten."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.replay.policies.policy import REFERENCE, Policy, limits_of
from poolscope.replay.policies.reference import COUNT, FIXED, IDLE, RULE


@dataclass(frozen=True)
class Fixed(Policy):
    """One queue and so many threads; none is added and none ends."""

    threads: int
    holding: bool = True

    @property
    def kind(self) -> int:
        return REFERENCE

    def parameters(self) -> FloatArray:
        values = np.zeros(COUNT)
        values[RULE] = FIXED
        values[IDLE] = np.inf
        return values

    def limits(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return limits_of(self.threads, self.threads)
