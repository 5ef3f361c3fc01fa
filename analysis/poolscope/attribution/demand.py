"""From measured executions to what each item asks for in any world: its CPU and blocked stretches."""

from __future__ import annotations

import numpy as np

from poolscope.arrays import BoolArray, FloatArray, IntArray
from poolscope.attribution.execution import READY, RUNNING, Executions, Segments
from poolscope.attribution.items import Items
from poolscope.replay.workload import Program, Workload


def build_workload(
    items: Items, executions: Executions, segments: Segments, by_suspension: IntArray, unseen: IntArray
) -> Workload:
    """Arrivals and pick order as measured, demands from the segments.

    Time ready (no core) and time suspended are obstacles, not demand, and are left out; CPU time on both sides of them
    is one stretch. Every blocked stretch is own demand: which of them another item ended is not known yet (coverage
    counts them). So is execution that no kernel event covers (`unseen`, ns per execution): no obstacle may be blamed for
    it. Items never started get the median demand of their kind. Executions carried into the capture come after the
    items; they hold their threads from the first moment on.
    """
    demanded = segments.state != READY
    item = segments.item[demanded]
    on_cpu = segments.state[demanded] == RUNNING
    duration = (segments.duration - by_suspension)[demanded].astype(np.float64)
    item, on_cpu, duration = _append(
        item, on_cpu, duration, np.arange(executions.count), False, unseen.astype(np.float64)
    )
    item, on_cpu, duration = _append_unstarted(items, item, on_cpu, duration)
    positive = duration > 0
    item, on_cpu, duration = item[positive], on_cpu[positive], duration[positive]

    # Neighbours of one kind in one item are one stretch.
    begins = np.ones(len(item), dtype=bool)
    begins[1:] = (item[1:] != item[:-1]) | (on_cpu[1:] != on_cpu[:-1])
    at = np.flatnonzero(begins)
    merged = np.add.reduceat(duration, at) if len(at) else duration
    first = np.searchsorted(item[at], np.arange(executions.count + 1))
    carried = executions.count - items.count
    return Workload(
        arrival=np.concatenate((items.enqueue, np.zeros(carried))).astype(np.float64),
        rank=np.concatenate((items.rank, np.arange(carried) - carried)).astype(np.int64),
        program=Program.of_stretches(first, on_cpu[at], merged),
    )


def _append_unstarted(
    items: Items, item: IntArray, on_cpu: BoolArray, duration: FloatArray
) -> tuple[IntArray, BoolArray, FloatArray]:
    """One CPU and one blocked stretch, each the median over finished items of the kind (of any kind if it has none)."""
    waiting = np.flatnonzero(items.queued_at_end)
    if len(waiting) == 0:
        return item, on_cpu, duration
    cpu = np.bincount(item, weights=np.where(on_cpu, duration, 0.0), minlength=items.count)[: items.count]
    blocked = np.bincount(item, weights=np.where(on_cpu, 0.0, duration), minlength=items.count)[: items.count]
    finished = items.started & ~items.running_at_end
    cpu_demand = np.zeros(len(waiting))
    blocked_demand = np.zeros(len(waiting))
    for kind in np.unique(items.kind[waiting]):
        like = finished & (items.kind == kind)
        like = like if like.any() else finished
        if like.any():
            chosen = items.kind[waiting] == kind
            cpu_demand[chosen] = np.median(cpu[like])
            blocked_demand[chosen] = np.median(blocked[like])
    item, on_cpu, duration = _append(item, on_cpu, duration, waiting, True, cpu_demand)
    return _append(item, on_cpu, duration, waiting, False, blocked_demand)


def _append(
    item: IntArray,
    on_cpu: BoolArray,
    duration: FloatArray,
    to: IntArray,
    kind: bool,
    added: FloatArray,
) -> tuple[IntArray, BoolArray, FloatArray]:
    """One more stretch at the end of each item of `to`, kept in order of items."""
    items = np.concatenate((item, to))
    order = np.argsort(items, kind="stable")
    kinds = np.concatenate((on_cpu, np.full(len(to), kind)))
    return items[order], kinds[order], np.concatenate((duration, added))[order]
