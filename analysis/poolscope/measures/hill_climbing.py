"""What it cost that hill climbing lowered the goal while items waited."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import FloatArray
from poolscope.base.series import Steps
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.executions.pool import Pool

OTHER_REASONS = tuple(
    enum("pool_changes", "reason", r) for r in ("Starvation", "ThreadTimedOut", "CooperativeBlocking")
)
"""Reasons of changes that are not hill climbing's."""


@dataclass(frozen=True)
class Lowered:
    """The lowerings of the goal by hill climbing under a backlog, in order of time."""

    time: FloatArray
    """Shape (lowerings,), ns from the start of the window."""
    goal_before: FloatArray
    goal_after: FloatArray
    queued: FloatArray
    """Items that were queued then."""
    cost: FloatArray
    """How much of each item's injection delay a pool without hill climbing would have saved, ns, shape (items,)."""
    without: FloatArray
    """Each item's delay without hill climbing, ns."""


def measure_lowered(capture: DecodedCapture, attribution: Attribution) -> Lowered:
    """Replays the run in a pool without hill climbing: with neither what it took nor what it added."""
    split, pool = attribution.split, attribution.pool
    assert split is not None
    changes = capture.table("pool_changes")
    climbing = ~np.isin(changes["reason"].to_numpy(), OTHER_REASONS)
    time = (changes["time"].to_numpy() - capture.window[0]).astype(np.float64)
    at, goal = time[climbing], changes["goal"].to_numpy()[climbing].astype(np.float64)
    before, queued = pool.goal.at(np.nextafter(at, -np.inf)), pool.queued.at(at)
    counts = (goal < before) & (queued > 0)
    as_is = split.ladder.as_is
    without = as_is
    if counts.any():
        without = split.ladder.with_threads(_without_climbing(pool, at))
    cost = np.minimum(np.maximum(as_is - without, 0.0), split.parts.injection.astype(np.float64))
    return Lowered(at[counts], before[counts], goal[counts], queued[counts], cost, without)


def _without_climbing(pool: Pool, climbed: FloatArray) -> Steps:
    """Returns the goal with every step but hill climbing's, each as large as it was, between the limits of its time. A step that
    nothing explains as another's is the limits' own."""
    goal = pool.goal
    step = np.diff(goal.value, prepend=goal.value[0])
    step[np.isin(goal.time, climbed)] = 0.0
    time = np.unique(np.concatenate((goal.time, pool.minimum.time, pool.maximum.time)))
    steps = np.zeros(len(time))
    steps[np.searchsorted(time, goal.time)] = step
    low, high = pool.minimum.at(time), pool.maximum.at(time)
    value, current = np.empty(len(time)), float(goal.value[0])
    for i in range(len(time)):  # changes of a pool: hundreds, never one per item
        current = min(max(current + steps[i], low[i]), high[i])
        value[i] = current
    return Steps(time, value)
