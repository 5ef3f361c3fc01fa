"""The limit of the pool at each instant with queued items.

This is a view for the eye and charges nothing: a queue remembers what limited the pool earlier (docs/attribution.md).
The causes of waits come from the ladder.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope import native
from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import FloatArray, IntArray
from poolscope.base.series import Steps, distinct
from poolscope.base.searches import rows_before
from poolscope.capture import DecodedCapture
from poolscope.executions.capacity import cores_over_time
from poolscope.executions.pool import Pool
from poolscope.executions.segments import RUNNING
from poolscope.measures.goal import QUIET_NS

SUSPENDED, CORES, CAP, GATE, GOAL, NONE = "suspended", "cores", "cap", "gate", "goal", "none"
LIMITS = (SUSPENDED, CORES, CAP, GATE, GOAL, NONE)
"""In order of precedence: the first that holds is the limit of that instant.

- suspended: the runtime is suspended;
- cores: a worker is runnable without a core, or items run on every core that the target may use;
- cap: as many items hold a thread as the maximum allows;
- gate: the goal is reached, and nothing is taken or finished for as long as the gate waits before it adds a thread;
- goal: the goal is reached;
- none: the pool has room, and a thread only has to get going.
"""


CHANGES_AT_ONCE = 2_000_000
"""For all counts together: a dozen arrays have this length."""


def time_by_limit(capture: DecodedCapture, attribution: Attribution, edges: FloatArray) -> FloatArray | None:
    """Returns the time in which items were queued, by bin and by the pool's limit, ns, shape (bins, limits). None
    without a kernel stream, because only that shows cores."""
    if attribution.split is None:
        return None
    counts = _Counts(
        attribution.pool,
        attribution.suspension,
        attribution.segments.count(RUNNING),
        cores_over_time(capture),
        attribution.split.worker_ready,
    )
    bounds = np.concatenate((edges[:1], _moves(attribution), edges[-1:]))
    if native.extension is not None:
        # The walk in analysis/native/limits.hpp adds the same numbers in the same order.
        found = np.zeros((len(edges) - 1) * len(LIMITS))
        queued, busy, goal, maximum, suspended, on_core, cores, ready = counts.all
        native.extension.time_by_limit(
            *(*_columns(queued), *_columns(busy), *_columns(goal), *_columns(maximum)),
            *(*_columns(suspended), *_columns(on_core), *_columns(cores), *_columns(ready)),
            *(np.ascontiguousarray(edges), bounds, int(QUIET_NS), found),
        )
        return found.reshape(-1, len(LIMITS))
    # The time of a bin is summed in one piece, so the division of bins into pieces does not change the figures.
    pieces = min(len(edges) - 1, 1 + sum(len(steps.time) for steps in counts.all) // CHANGES_AT_ONCE)
    some = np.array_split(np.arange(len(edges) - 1), pieces)
    return np.concatenate([_time_in(edges[bins[0] : bins[-1] + 2], counts, bounds) for bins in some])


@dataclass(frozen=True)
class _Counts:
    """The counts over time that decide the limit."""

    pool: Pool
    suspension: Steps
    on_core: Steps
    cores: Steps
    ready: Steps

    @property
    def all(self) -> tuple[Steps, Steps, Steps, Steps, Steps, Steps, Steps, Steps]:
        pool = self.pool
        return (
            pool.queued,
            pool.busy,
            pool.goal,
            pool.maximum,
            self.suspension,
            self.on_core,
            self.cores,
            self.ready,
        )


def _columns(steps: Steps) -> tuple[FloatArray, FloatArray]:
    return np.ascontiguousarray(steps.time), np.ascontiguousarray(steps.value)


def _time_in(edges: FloatArray, counts: _Counts, moves: FloatArray) -> FloatArray:
    """Returns the same for some neighbouring bins. `moves`: when an item was taken or finished, and the ends of the
    capture."""
    pool = counts.pool
    inside = (steps.time[rows_before(steps.time, edges[:1])[0] :] for steps in counts.all)
    time = distinct(np.concatenate([edges, *(t[: rows_before(t, edges[-1:], side="right")[0]] for t in inside)]))
    begin, length = time[:-1], np.diff(time)
    waiting = pool.queued.at(begin) > 0
    begin, length = begin[waiting], length[waiting]

    busy, running = pool.busy.at(begin), counts.on_core.at(begin)
    reached, full = busy >= pool.goal.at(begin), busy >= pool.maximum.at(begin)
    no_core = (running > 0) & (running >= counts.cores.at(begin))
    del busy, running, time  # arrays as long as all changes of all counts; only yes or no is needed from here on
    no_core |= counts.ready.at(begin) > 0
    holds = (
        counts.suspension.at(begin) > 0,
        no_core,
        full,
        reached & (_stretch(moves, begin) >= QUIET_NS),
        reached,
    )
    limit = np.select(holds, range(len(holds)), LIMITS.index(NONE))
    bins = np.clip(rows_before(edges, begin, side="right") - 1, 0, len(edges) - 2)
    cells = np.bincount(bins * len(LIMITS) + limit, weights=length, minlength=(len(edges) - 1) * len(LIMITS))
    return np.asarray(cells.reshape(-1, len(LIMITS)))


def _moves(attribution: Attribution) -> FloatArray:
    """Returns when an item was taken or finished."""
    items = attribution.items
    finished = items.started & ~items.running_at_end
    return distinct(np.concatenate((items.dequeue[items.started], items.end[finished])).astype(np.float64))


def _stretch(bounds: FloatArray, time: FloatArray) -> FloatArray:
    """Returns, for each time, the length of the stretch between the two bounds around it."""
    after: IntArray = np.clip(rows_before(bounds, time, side="right"), 1, len(bounds) - 1)
    return np.asarray(bounds[after] - bounds[after - 1])
