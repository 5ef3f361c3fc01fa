"""The part of a wait in which the pool was not short of threads: an item was queued and the goal not reached.

Until a wake-up or a thread creation is issued that is dispatch, a cost of the runtime. From then until the worker runs
it is core contention: the worker is runnable and has no core.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.base.series import Steps
from poolscope.capture import DecodedCapture
from poolscope.executions.items import Items
from poolscope.executions.pool import Pool
from poolscope.executions.segments import READY, Segments


@dataclass(frozen=True)
class Handoff:
    """Per item, ns; `core + dispatch` never exceeds the wait."""

    core: IntArray
    dispatch: IntArray
    ready_workers: Steps
    """Workers over time that are runnable without a core, with an item or woken for one."""


def measure_handoff(capture: DecodedCapture, items: Items, segments: Segments, pool: Pool) -> Handoff:
    """Integrates over each wait the time in which fewer items than the goal held a thread."""
    below_goal = pool.busy.combine(pool.goal, np.less).merged()
    ready_workers = _ready_workers(capture)
    spare_ready = ready_workers.combine(segments.count(READY), np.subtract)
    waking = below_goal.combine(spare_ready, lambda below, ready: below * (ready > 0)).merged()
    total = np.rint(below_goal.integral(items.enqueue, items.dequeue)).astype(np.int64)
    core = np.rint(waking.integral(items.enqueue, items.dequeue)).astype(np.int64)
    total = np.minimum(total, items.wait)
    core = np.minimum(core, total)
    return Handoff(core, total - core, ready_workers)


def _ready_workers(capture: DecodedCapture) -> Steps:
    if capture.kernel_tier == "none":
        return Steps.constant(0.0)
    base = capture.window[0]
    states = capture.table("thread_states")
    workers = capture.table("workers")["tid"].to_numpy()
    ready = (states["state"].to_numpy() == READY) & np.isin(states["tid"].to_numpy(), workers)
    return Steps.count(states["start"].to_numpy()[ready] - base, states["end"].to_numpy()[ready] - base)
