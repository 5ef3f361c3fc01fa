"""A new thread for every item: TaskCreationOptions.LongRunning, or Thread.Start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.replay.policies.policy import DEDICATED, Policy


@dataclass(frozen=True)
class Dedicated(Policy):
    """Every item has its own thread from its arrival on; it ends with the item."""

    @property
    def kind(self) -> int:
        return DEDICATED

    @property
    def holding(self) -> bool:
        return True

    def parameters(self) -> FloatArray:
        return np.zeros(0)

    def limits(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return np.zeros(1), np.full(1, np.inf), np.full(1, np.inf)
