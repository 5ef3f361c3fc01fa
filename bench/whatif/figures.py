"""The figures of a capture with which a prediction is compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from poolscope.base.arrays import AnyArray, BoolArray
from poolscope.base.statistics import summarise_ms
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture, open_capture
from poolscope.executions.items import load_items

from .scenario import ITEMS, TRUTH


def measure(folder: Path) -> dict[str, Any]:
    """Measures all work items and, if the workload recorded its own items or gave each a thread, those. Durations are
    ms; `end_ms` is the last completion, counted from the first enqueue; `unfinished` is the number of items without an
    end."""
    capture = open_capture(folder)
    return {ITEMS: _items(capture), TRUTH: _truth(capture) or _dedicated(capture)}


def _items(capture: DecodedCapture) -> dict[str, Any]:
    items = load_items(capture)
    unfinished = items.queued_at_end | items.running_at_end
    return _figures(items.enqueue, items.dequeue, items.end, items.censored, unfinished)


def _truth(capture: DecodedCapture) -> dict[str, Any] | None:
    truth = capture.truth()
    if truth is None:
        return None
    stop = capture.window[1]
    queued, unfinished = truth["start_ns"] < 0, truth["end_ns"] < 0
    start = np.where(queued, stop, truth["start_ns"])
    end = np.where(unfinished, stop, truth["end_ns"])
    return _figures(truth["enqueue_ns"], start, end, queued, unfinished)


def _dedicated(capture: DecodedCapture) -> dict[str, Any] | None:
    """Measures tasks with threads of their own: a workload that queues nothing to the pool writes no truth into a
    capture."""
    if len(capture.table("work_items")) or not capture.has("tasks"):
        return None
    tasks = capture.table("tasks")
    tasks = tasks[tasks["scheduled"] >= 0]
    stop = capture.window[1]
    never, unfinished = tasks["started"].to_numpy() < 0, tasks["completed"].to_numpy() < 0
    start = np.where(never, stop, tasks["started"].to_numpy())
    end = np.where(unfinished, stop, tasks["completed"].to_numpy())
    return _figures(tasks["scheduled"].to_numpy(), start, end, never, unfinished)


def _figures(
    enqueue: AnyArray, start: AnyArray, end: AnyArray, never_started: BoolArray, unfinished: BoolArray
) -> dict[str, Any]:
    if len(enqueue) == 0:
        return {"items": 0, "wait_ms": None, "completion_ms": None, "end_ms": None, "unfinished": 0}
    return {
        "items": len(enqueue),
        "wait_ms": summarise_ms(start - enqueue, never_started),
        "completion_ms": summarise_ms(end - enqueue, never_started | unfinished),
        "end_ms": round(float(end.max() - enqueue.min()) / NS_PER_MS, 3),
        "unfinished": int(unfinished.sum()),
    }
