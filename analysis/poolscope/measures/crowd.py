"""More runnable workers than cores: how many there were, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_S
from poolscope.executions.segments import READY, RUNNING


@dataclass(frozen=True)
class Crowd:
    """Workers with an item that could run, in a process that may use `cores`."""

    runnable: float
    """How many there were at a time, as one of them saw it: the mean over the runnable time of all."""
    cost: float
    """Item-seconds by which the items would have ended sooner with no more threads than cores; below 0: later."""
    ready_seconds: float
    """Time that items were runnable without a core, summed over items."""


def measure_crowd(attribution: Attribution, least: float) -> Crowd:
    """Measures how much sooner items would end on fewer threads. It compares completions: fewer threads make items wait
    before the start instead of after it, which alone is no gain.

    Below `least` runnable workers the cost is not computed, and 0: it takes two replays. Both worlds have the cores
    that the items really had. What other processes take is not made to depend on the number of our threads: between
    cgroups or sessions it does not, and where it does, a crowd only takes from its neighbours.
    """
    split = attribution.split
    assert split is not None
    own = attribution.segments.item < attribution.items.count
    chosen = own & np.isin(attribution.segments.state, (RUNNING, READY))
    number = Steps.count(attribution.segments.start[chosen], attribution.segments.end[chosen])
    length = np.diff(number.time)
    count = number.value[:-1]
    time = float((count * length).sum())
    runnable = float((count * count * length).sum()) / time if time > 0 else 0.0
    ready = float(attribution.execution.ready.sum()) / NS_PER_S
    if runnable < least:
        return Crowd(runnable, 0.0, ready)
    had = split.had
    as_many_as_cores = float(np.ceil(attribution.cores))
    goal = attribution.pool.goal
    limited = split.ladder.on_cores(Steps(goal.time, np.minimum(goal.value, as_many_as_cores)), had)
    cost = float((split.ladder.on_cores(goal, had) - limited).sum()) / NS_PER_S
    return Crowd(runnable, cost, ready)
