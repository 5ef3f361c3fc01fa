"""What it cost that hill climbing lowered the goal while items waited."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import FloatArray
from poolscope.base.series import Steps
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum

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
    """Returns how much of each item's injection delay an unchanged goal would have saved, ns, shape (items,)."""
    kept: FloatArray
    """Each item's delay with the goal kept, ns."""


def measure_lowered(capture: DecodedCapture, attribution: Attribution) -> Lowered:
    """Replays the run with the goal kept at its highest value since the queue was last empty."""
    split, pool = attribution.split, attribution.pool
    assert split is not None
    changes = capture.table("pool_changes")
    climbing = ~np.isin(changes["reason"].to_numpy(), OTHER_REASONS)
    at = (changes["time"].to_numpy()[climbing] - capture.window[0]).astype(np.float64)
    goal = changes["goal"].to_numpy()[climbing].astype(np.float64)
    before, queued = pool.goal.at(np.nextafter(at, -np.inf)), pool.queued.at(at)
    counts = (goal < before) & (queued > 0)
    as_is = split.ladder.as_is
    kept = as_is
    if counts.any():
        kept = split.ladder.with_threads(_kept(pool.goal, pool.queued))
    cost = np.minimum(np.maximum(as_is - kept, 0.0), split.parts.injection.astype(np.float64))
    return Lowered(at[counts], before[counts], goal[counts], queued[counts], cost, kept)


def _kept(goal: Steps, queued: Steps) -> Steps:
    """The goal, but never below its highest value since the queue was last empty."""
    empties = queued.time[(queued.value == 0) & (np.append(1.0, queued.value[:-1]) > 0)]
    time = np.union1d(goal.time, empties)
    value = goal.at(time)
    # A running maximum that starts anew with each backlog: later backlogs are lifted above all earlier ones.
    lift = np.searchsorted(empties, time, side="right") * (float(value.max()) + 1.0)
    value = np.maximum.accumulate(value + lift) - lift
    return Steps(time, value)
