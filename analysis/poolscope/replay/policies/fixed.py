"""A fixed number of threads, all created before the first item: S. Toub's ManagedThreadPool sample (MSDN, 2003 and
2004), whose widely copied revision has ten."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.replay.policies.policy import REFERENCE, Policy, limits_of
from poolscope.replay.policies.reference import FIXED, parameters_of


@dataclass(frozen=True)
class Fixed(Policy):
    """One queue and this many threads; none is added and none ends."""

    threads: int
    holding: bool = True

    @property
    def kind(self) -> int:
        return REFERENCE

    def parameters(self) -> FloatArray:
        return parameters_of(FIXED, np.inf)

    def limits(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return limits_of(self.threads, self.threads)
