"""More runnable workers than cores: how many there were, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.attribution.execution import READY, RUNNING
from poolscope.series import Steps
from poolscope.units import NS_PER_S


@dataclass(frozen=True)
class Crowd:
    """Workers with an item that could run, in a process that may use `cores`."""

    runnable: float
    """How many there were at a time, as one of them saw it: the mean over the runnable time of all."""
    cost: float
    """Item-seconds by which the items would have ended sooner with no more threads than cores; below 0: later."""
    ready_seconds: float
    """Time that items were runnable without a core, summed over items."""


def measure_crowd(attribution: Attribution) -> Crowd:
    """Judged by completion: fewer threads make items wait before the start instead of after it, which alone is no gain."""
    split = attribution.split
    assert split is not None
    own = attribution.segments.item < attribution.items.count
    chosen = own & np.isin(attribution.segments.state, (RUNNING, READY))
    number = Steps.count(attribution.segments.start[chosen], attribution.segments.end[chosen])
    length = np.diff(number.time)
    count = number.value[:-1]
    time = float((count * length).sum())
    runnable = float((count * count * length).sum()) / time if time > 0 else 0.0
    as_many_as_cores = float(np.ceil(attribution.cores))
    goal = attribution.pool.goal
    limited = split.ladder.with_threads(Steps(goal.time, np.minimum(goal.value, as_many_as_cores)))
    cost = float((split.ladder.as_is - limited).sum()) / NS_PER_S
    return Crowd(runnable, cost, float(attribution.execution.ready.sum()) / NS_PER_S)
