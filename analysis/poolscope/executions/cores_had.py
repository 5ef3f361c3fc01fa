"""What more threads would gain from the pool, and what they would only take from other processes.

Beside busy neighbours more runnable threads get more of the cores. A replay then shows items that end sooner, although the
pool was not short of threads: it was short of cores. So a step of the ladder counts only as far as it also helps on the
cores that the items really had, which nobody else wants.
"""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_MS
from poolscope.executions.segments import READY, RUNNING, Segments

BIN_NS = 10 * NS_PER_MS
"""Resolution of the cores that the items had: a few time slices."""
CONTESTED = 0.25
"""Runnable threads outside the pool, on average: with fewer there is hardly anything to take."""


def cores_had(segments: Segments, cores: float) -> Steps:
    """Cores that items were on while at least one of them was ready, all that the process may use else."""
    on, ready = segments.count(RUNNING), segments.count(READY)
    return on.combine(ready, lambda running, waiting: np.where(waiting > 0, running, cores)).binned(BIN_NS)


def is_contested(competitors: Steps, length_ns: float) -> bool:
    """Whether others wanted the cores for a notable part of the capture."""
    return float(competitors.integral(0.0, length_ns)) >= CONTESTED * max(length_ns, 1.0)


def only_gained(above: FloatArray, below: FloatArray, above_own: FloatArray, below_own: FloatArray) -> float:
    """The share, 0 ... 1, of the step from `above` to `below` (delays, ns, shape (items,)) that is no gain at the expense of
    others: how much of it remains on the items' own cores."""
    step = float(np.maximum(above - below, 0.0).sum())
    own = float(np.maximum(above_own - below_own, 0.0).sum())
    return min(own / step, 1.0) if step > 0 else 1.0
