"""The result of a simulated world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.base.series import Steps
from poolscope.replay.workload import Workload


@dataclass(frozen=True)
class GoalChanges:
    """The pool's changes of its goal, in order of time; empty for pools without a goal."""

    time: FloatArray
    """Shape (changes,), ns from the start of the capture."""
    goal: IntArray
    """Threads that may work at once from then on."""
    reason: IntArray
    """The numbers of the runtime's own event (ThreadPoolWorkerThreadAdjustment): 6 is starvation."""


@dataclass(frozen=True)
class Simulated:
    """When each item would have arrived, started and ended, ns from the start of the capture; inf: never."""

    arrival: FloatArray
    """Shape (items,). Items that an item brings arrive when it comes to that point."""
    start: FloatArray
    end: FloatArray
    threads: Steps
    """Threads of the pool that exist, working or not; under Allowed, which has no threads, the most that items have held
    at once so far."""
    goal_changes: GoalChanges
    context_switches: float
    """Estimate of how often a thread of the pool left its core: because it blocked, parked, or its slice was over."""

    @property
    def peak_threads(self) -> int:
        return int(self.threads.value.max())

    @property
    def stuck(self) -> BoolArray:
        """Items that never ended: shape (items,). Never enqueued, queued for ever, or blocked for ever."""
        return np.isinf(self.end)

    @property
    def deadlock(self) -> bool:
        """Items were left unfinished, and nothing could ever happen again."""
        return bool(self.stuck.any())

    def delay(self, workload: Workload) -> FloatArray:
        """Returns the delay of each item in ns: completion - arrival - own demand; inf: it never ends."""
        with np.errstate(invalid="ignore"):  # inf - inf where it never arrives
            return np.where(self.stuck, np.inf, self.end - self.arrival - workload.demand)
