"""Tasks with a thread of their own (TaskCreationOptions.LongRunning): scheduled, never queued to the pool, and
started."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.capture import DecodedCapture


@dataclass(frozen=True)
class DedicatedTasks:
    """Tasks that another thread than the one that scheduled them ran, and that were no work item."""

    count: int
    p99_start_ns: float
    """From TaskScheduled to TaskStarted: the creation of the thread, mostly."""


def dedicated_tasks(capture: DecodedCapture) -> DedicatedTasks | None:
    """Measures how long tasks waited for threads of their own. Returns None without such tasks. Tasks that the
    scheduling thread itself ran do not count: they waited for no thread."""
    if not capture.has("tasks"):
        return None
    tasks, items = capture.table("tasks"), capture.table("work_items")
    scheduled, started = tasks["scheduled"].to_numpy(), tasks["started"].to_numpy()
    queued = np.isin(tasks["task_id"].to_numpy(), items["task_id"].to_numpy())
    other = tasks["scheduled_tid"].to_numpy() != tasks["started_tid"].to_numpy()
    own = (scheduled >= 0) & (started >= 0) & other & ~queued
    if not own.any():
        return None
    return DedicatedTasks(int(own.sum()), float(np.quantile((started - scheduled)[own], 0.99)))
