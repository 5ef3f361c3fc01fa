"""The items that waited longest, each with its story: who queued it, what the pool did meanwhile, what it then did."""

from __future__ import annotations

from typing import Any

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.attribution.execution import BLOCKED, READY, RUNNING
from poolscope.capture import Capture
from poolscope.capture.schema import load_schema
from poolscope.product.blocked_in import blocked_in
from poolscope.product.causes import CAUSES, main_cause, wait_by_cause
from poolscope.product.threads import thread_names
from poolscope.series import Steps
from poolscope.units import NS_PER_MS, NS_PER_S

COUNT = 10
"""Stories told."""


def worst_items(capture: Capture, attribution: Attribution, count: int = COUNT) -> list[dict[str, Any]]:
    """The `count` longest waits, longest first. Times are seconds from the start of the window, durations ms."""
    items = attribution.items
    chosen = np.argsort(-items.wait, kind="stable")[:count]
    parts = wait_by_cause(attribution)
    cause = main_cause(attribution)
    kinds = load_schema().tables["work_items"].column("kind").values
    table = capture.table("work_items")
    names = thread_names(capture, table["enqueue_tid"].to_numpy()[items.row[chosen]])
    execution = attribution.execution
    places = blocked_in(capture, attribution, chosen)
    moment = _Moments(attribution)
    stories = []
    for i, place in zip(chosen, places, strict=True):
        row = table.iloc[int(items.row[i])]
        started = bool(items.started[i])
        enqueue, dequeue = int(items.enqueue[i]), int(items.dequeue[i])
        stories.append(
            {
                "item": int(items.row[i]),
                "kind": kinds[int(items.kind[i])],
                "task_id": int(row["task_id"]) if row["task_id"] >= 0 else None,
                "enqueued_s": _seconds(enqueue),
                "enqueue_seen": not bool(items.censored_start[i]),
                "started_s": _seconds(dequeue) if started else None,
                "ended_s": _seconds(items.end[i]) if started and not items.running_at_end[i] else None,
                "wait_ms": _ms(items.wait[i]),
                "at_least": bool(items.censored[i]),
                "cause": CAUSES[int(cause[i])],
                "parts_ms": {name: _ms(part[i]) for name, part in parts.items()},
                "execution_ms": {
                    "cpu": _ms(execution.cpu[i]),
                    "blocked": _ms(execution.blocked[i]),
                    "ready": _ms(execution.ready[i]),
                    "runtime": _ms(execution.runtime[i]),
                    "unknown": _ms(execution.unknown[i]),
                },
                "blocked_in": place,
                "enqueue_tid": int(row["enqueue_tid"]),
                "enqueue_thread": names.get(int(row["enqueue_tid"])),
                "enqueued_by_item": int(row["parent"]) if row["parent"] >= 0 else None,
                "worker_tid": int(items.worker[i]) if started else None,
                "queued_before_it": int(attribution.pool.queued.at(float(enqueue) - 0.5)),
                # A thread takes its own newest item before it looks at the other queues.
                "overtaken_by": int(
                    np.count_nonzero((items.enqueue > enqueue) & (items.dequeue < dequeue) & items.started)
                ),
                "pool": {
                    "at_enqueue": moment.at(enqueue),
                    "meanwhile": moment.mean(enqueue, dequeue),
                    "at_start": moment.at(dequeue),
                },
            }
        )
    return stories


class _Moments:
    """Goal and workers at a moment, or on average over a stretch. Unknown states are None."""

    def __init__(self, attribution: Attribution) -> None:
        pool, segments = attribution.pool, attribution.segments
        self._series: dict[str, Steps | None] = {"goal": pool.goal, "busy": pool.busy}
        for name, state in (("running", RUNNING), ("blocked", BLOCKED), ("ready", READY)):
            mine = segments.state == state
            known = attribution.split is not None
            self._series[name] = Steps.count(segments.start[mine], segments.end[mine]) if known else None

    def at(self, time: int) -> dict[str, int | None]:
        """Counts right before `time`, when the item itself changes nothing yet."""
        return {n: None if s is None else round(float(s.at(time - 0.5))) for n, s in self._series.items()}

    def mean(self, begin: int, end: int) -> dict[str, float | None]:
        if end <= begin:
            return {name: None for name in self._series}
        return {
            name: None if series is None else round(float(series.integral(begin, end)) / (end - begin), 3)
            for name, series in self._series.items()
        }


def _seconds(ns: float) -> float:
    return round(float(ns) / NS_PER_S, 6)


def _ms(ns: float) -> float:
    return round(float(ns) / NS_PER_MS, 6)
