"""This many items may hold a thread at each time, and a thread costs nothing: the worlds of the ladder."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.base.series import Steps
from poolscope.replay.policies.policy import ALLOWED, Policy


@dataclass(frozen=True)
class Allowed(Policy):
    """No pool, but the bound that a pool would be measured by."""

    threads: Steps
    """How many items may hold a thread at once; inf: no limit."""
    holding: bool = True

    @property
    def kind(self) -> int:
        return ALLOWED

    def parameters(self) -> FloatArray:
        return np.zeros(0)

    def limits(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return self.threads.time, self.threads.value, self.threads.value
