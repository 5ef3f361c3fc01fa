"""Charging the ladder's steps to the measured wait, so that the parts add up to it exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.ladder.worlds import Ladder
from poolscope.base.arrays import FloatArray, IntArray
from poolscope.executions.handoff import Handoff
from poolscope.executions.items import Items


@dataclass(frozen=True)
class WaitParts:
    """Parts of each item's wait in ns, all >= 0: they add up to the wait exactly."""

    wait: IntArray
    injection: IntArray
    holding: IntArray
    dependency: IntArray
    core: IntArray
    runtime: IntArray

    @property
    def blocking(self) -> IntArray:
        """Holding and dependency: both are the code's blocking."""
        return self.holding + self.dependency

    @property
    def residual(self) -> IntArray:
        """The wait minus its parts: 0 for every item, or there is a defect."""
        return self.wait - self.injection - self.holding - self.dependency - self.core - self.runtime


def charge(
    items: Items, handoff: Handoff, ladder: Ladder, stopped: IntArray, coreless: FloatArray | None = None
) -> WaitParts:
    """Takes the handoff out first, then what suspensions stopped, then each step of the ladder in its order, capped by what is
    left of the wait.

    `stopped`, ns: of each wait the time in which a suspension held the threads that the item waited for. It is measured and
    comes before the ladder, in which a collection has its time and no cause: items that each force one would seem to need more
    threads.

    A step counts only as far as the delay really fell: D'k = min(Dk, D'k-1). What a step saves of the time that an item
    waited for others after its start is charged to its wait too, as far as there is any; but injection only where the pool
    had been short of threads before its start.

    `coreless`, ns: the most that a lack of cores can have cost each wait, whatever a replay of locks that follow each other
    makes of it; the rest stays with what items waited for. None: not known.
    """
    taken = handoff.core + handoff.dispatch
    rungs = [np.maximum(ladder.actual - taken, 0.0)]
    enough_threads = np.where(
        ladder.never_short, np.maximum(ladder.actual, ladder.enough_threads), ladder.enough_threads
    )
    for delay in (enough_threads, ladder.no_holding, ladder.enough_cores, ladder.unsuspended):
        rungs.append(np.clip(delay, 0.0, rungs[-1]))
    suspended = np.minimum(stopped, items.wait - taken)
    left = items.wait - taken - suspended
    steps: list[IntArray] = []
    bound = None if coreless is None else np.maximum(np.rint(coreless).astype(np.int64) - handoff.core, 0)
    for above, below, most in zip(rungs[:-1], rungs[1:], (None, None, bound, None), strict=True):
        part = np.minimum(np.rint(above - below).astype(np.int64), left if most is None else np.minimum(left, most))
        steps.append(part)
        left = left - part
    injection, holding, core, suspension = steps
    return WaitParts(
        wait=items.wait,
        injection=injection,
        holding=holding,
        dependency=left,
        core=core + handoff.core,
        runtime=suspension + handoff.dispatch + suspended,
    )
