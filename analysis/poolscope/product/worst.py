"""The items that waited longest, each with its story."""

from __future__ import annotations

from typing import Any

import numpy as np

from poolscope.arrays import IntArray
from poolscope.attribution.attribute import Attribution
from poolscope.capture import Capture
from poolscope.capture.schema import load_schema
from poolscope.product.causes import CAUSES, main_cause, wait_by_cause
from poolscope.units import NS_PER_MS, NS_PER_S


WORST_ITEMS = 10


def longest_waits(attribution: Attribution, count: int = WORST_ITEMS) -> IntArray:
    """Indexes of the items that waited longest, longest first."""
    return np.asarray(np.argsort(-attribution.items.wait, kind="stable")[:count])


def worst_items(capture: Capture, attribution: Attribution, count: int = WORST_ITEMS) -> list[dict[str, Any]]:
    """The `count` longest waits, longest first. Times are seconds from the start of the window, durations ms."""
    items = attribution.items
    chosen = longest_waits(attribution, count)
    parts = wait_by_cause(attribution)
    cause = main_cause(attribution)
    names = load_schema().tables["work_items"].column("kind").values
    table = capture.table("work_items")
    execution = attribution.execution
    stories = []
    for i in chosen:
        row = table.iloc[int(items.row[i])]
        stories.append(
            {
                "item": int(items.row[i]),
                "kind": names[int(items.kind[i])],
                "task_id": int(row["task_id"]) if row["task_id"] >= 0 else None,
                "enqueued_s": round(float(items.enqueue[i]) / NS_PER_S, 6),
                "started_s": round(float(items.dequeue[i]) / NS_PER_S, 6) if items.started[i] else None,
                "wait_ms": round(float(items.wait[i]) / NS_PER_MS, 6),
                "at_least": bool(items.censored[i]),
                "cause": CAUSES[int(cause[i])],
                "parts_ms": {name: round(float(part[i]) / NS_PER_MS, 6) for name, part in parts.items()},
                "execution_ms": {
                    "cpu": round(float(execution.cpu[i]) / NS_PER_MS, 6),
                    "blocked": round(float(execution.blocked[i]) / NS_PER_MS, 6),
                    "ready": round(float(execution.ready[i]) / NS_PER_MS, 6),
                    "runtime": round(float(execution.runtime[i]) / NS_PER_MS, 6),
                    "unknown": round(float(execution.unknown[i]) / NS_PER_MS, 6),
                },
                "enqueue_tid": int(row["enqueue_tid"]),
                "worker_tid": int(items.worker[i]) if items.started[i] else None,
                "queued_before_it": int(attribution.pool.queued.at(float(items.enqueue[i]) - 0.5)),
            }
        )
    return stories
