"""The state of the pool over time: goal and limits as the runtime reported them, busy threads as the items show; and the part of
a wait in which the pool was not short of threads.

In that part an item was queued and the goal was not reached. Until a wake-up or a thread creation is issued it is dispatch,
a cost of the runtime. From then until the worker runs it is core contention: the worker is runnable and has no core.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import AnyArray, IntArray
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_S
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum, load_schema
from poolscope.executions.items import Items
from poolscope.executions.segments import READY, Executions, Segments

STARVATION = enum("pool_changes", "reason", "Starvation")
STALLED_NS = 2 * NS_PER_S
"""Twice what the gate takes at most to add a thread while the CPU is not busy (1 s)."""
UNLIMITED_THREADS = 32767
"""The runtime's default maximum on 64-bit (facts of System.Private.CoreLib 10.0)."""


@dataclass(frozen=True)
class Pool:
    """Step functions over ns from the start of the window, in threads or items."""

    goal: Steps
    """How many items the pool lets hold a thread at once."""
    minimum: Steps
    maximum: Steps
    busy: Steps
    """Items that hold a thread."""
    queued: Steps
    goal_known: bool
    """False: the capture began late and the goal before the first change is inferred from the busy threads."""
    limits_known: str
    """How minimum and maximum are known: event, look (read from the memory of the process), environment, runtimeconfig, default, inferred (a pool that stood still and added
    no thread), or unknown."""

    @property
    def maximum_known(self) -> bool:
        """Whether the maximum is more than a default that the program may have changed before the capture."""
        return self.goal_known or self.limits_known in ("event", "look", "inferred")

    @property
    def may_be_full(self) -> bool:
        """Whether the pool may have been at a maximum that the program set before the capture: for STALLED_NS and more items
        were queued in all, and the goal never rose. No event shows such a maximum."""
        if self.maximum_known or (np.diff(self.goal.value) > 0).any():
            return False
        waiting = Steps(self.queued.time, np.where(self.queued.value > 0, 1.0, 0.0))
        end = float(max(self.queued.time[-1], self.busy.time[-1]))
        return float(waiting.integral(0.0, end)) >= STALLED_NS


def load_pool(capture: DecodedCapture, items: Items, executions: Executions) -> Pool:
    """Builds the step functions. The goal starts at the minimum (the runtime's rule) when the capture saw the start."""
    base = capture.window[0]
    busy = Steps.count(executions.start, executions.end)
    queued = Steps.count(items.enqueue, items.dequeue)
    minimum, maximum, known = _limits(capture, base)
    changes = capture.table("pool_changes")
    change_time = changes["time"].to_numpy() - base
    change_goal = changes["goal"].to_numpy().astype(np.float64)
    launched = bool(capture.manifest["target"]["launched"])
    seen = (capture.manifest.get("look") or {}).get("goal")
    if launched:
        first = float(minimum.value[0])
    elif seen is not None:
        first = float(seen)
    else:
        before = np.array([0.0, max(1.0, change_time[0] if len(change_time) else capture.window[1] - base)])
        first = max(float(minimum.value[0]), float(busy.maximum(before)[0]))
        if len(changes) and int(changes["reason"].iloc[0]) == STARVATION:
            # The gate adds one to the threads that are busy, and only where these are as many as the goal.
            first = max(float(minimum.value[0]), change_goal[0] - 1.0)
    goal = _goal(first, change_time, change_goal, minimum, maximum)
    return Pool(goal, minimum, maximum, busy, queued, launched or seen is not None, known)


def _limits(capture: DecodedCapture, base: int) -> tuple[Steps, Steps, str]:
    table = capture.table("pool_limits")
    if table.empty:
        cores = float(capture.manifest["target"]["processor_count"])
        return Steps.constant(cores), Steps.constant(float(UNLIMITED_THREADS)), "unknown"
    time = np.maximum(table["time"].to_numpy() - base, 0)
    return (
        Steps.of_changes(time, table["min"].to_numpy()),
        Steps.of_changes(time, table["max"].to_numpy()),
        load_schema().tables["pool_limits"].column("known").values[int(table["known"].iloc[-1])],
    )


def _goal(first: float, time: AnyArray, goal: AnyArray, minimum: Steps, maximum: Steps) -> Steps:
    """Applies changes of the goal, and changes of the limits: both move it, but only the former are reported."""
    goal_at, goal_to = [0.0], [first]
    limits = np.unique(np.concatenate((minimum.time, maximum.time)))
    moments = np.concatenate((time, limits))
    is_change = np.concatenate((np.ones(len(time), dtype=bool), np.zeros(len(limits), dtype=bool)))
    low, high = minimum.at(moments), maximum.at(moments)
    current = first
    for i in np.argsort(moments, kind="stable"):  # changes of a pool: hundreds, never one per item
        current = float(goal[i]) if is_change[i] else min(max(current, float(low[i])), float(high[i]))
        goal_at.append(max(float(moments[i]), 0.0))
        goal_to.append(current)
    return Steps.of_changes(goal_at, goal_to)


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
