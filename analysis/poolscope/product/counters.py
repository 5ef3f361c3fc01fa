"""The runtime's counters of another tool's trace, where no work item was recorded: with items, they tell nothing new."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from poolscope.base.arrays import FloatArray
from poolscope.base.units import NS_PER_S
from poolscope.capture import DecodedCapture
from poolscope.contract.analysis_json import CountersJson
from poolscope.coverage.made import without_work_items
from poolscope.measures.counted_waits import WaitBounds, intervals, longest_stall, wait_bounds

MOST_POINTS = 1_000


def counters_json(capture: DecodedCapture) -> CountersJson | None:
    """Returns `counters`, or None if work items were recorded, or no counter of the pool."""
    if without_work_items(capture.manifest) is None or not capture.has("pool_counters"):
        return None
    start, stop = capture.window
    rows = capture.table("pool_counters")
    rows = rows[(rows["time"] >= start) & (rows["time"] <= stop)]
    rows = rows[(rows[["queue_length", "completed", "threads"]] >= 0).any(axis=1)]
    if rows.empty:
        return None
    time = (rows["time"].to_numpy() - start) / NS_PER_S
    read = intervals(rows, start)
    bounds, stall = wait_bounds(read), longest_stall(read)
    queue = rows["queue_length"].to_numpy(dtype=np.float64)
    queue = queue[queue >= 0]
    return {
        "readings": len(rows),
        "interval_s": round(float(np.median(np.diff(time))), 6) if len(time) > 1 else None,
        "seconds": [round(float(at[-1]), 4) for at in _groups(time)],
        "queue": _whole(rows["queue_length"]),
        "threads": _whole(rows["threads"]),
        "completed_per_s": _points(_rates(rows), np.nanmean),
        "queue_mean": round(float(queue.mean()), 3) if len(queue) else None,
        "queue_peak": int(queue.max()) if len(queue) else None,
        "completed": int(read.completed.sum()),
        "stall": None
        if stall is None
        else {"from_s": round(stall.from_s, 4), "to_s": round(stall.to_s, 4), "queued": stall.queued},
        "wait_ms": {"least": bounds.least, "most": bounds.most} if isinstance(bounds, WaitBounds) else None,
        "no_bounds": None if isinstance(bounds, WaitBounds) else bounds,
    }


def _rates(rows: pd.DataFrame) -> FloatArray:
    """Returns the items that ended per second; NaN if not reported."""
    completed = rows["completed"].to_numpy(dtype=np.float64)
    length = (rows["time"] - rows["since"]).to_numpy(dtype=np.float64) / NS_PER_S
    told = (completed >= 0) & (length > 0)
    return np.where(told, completed / np.where(told, length, 1.0), np.nan)


def _groups(values: FloatArray) -> list[FloatArray]:
    """Splits values into one array for each point of the chart."""
    return np.array_split(values, min(len(values), MOST_POINTS))


def _whole(column: pd.Series) -> list[int | None]:
    values = column.to_numpy(dtype=np.float64)
    points = _points(np.where(values < 0, np.nan, values), np.nanmax)
    return [None if point is None else int(point) for point in points]


def _points(values: FloatArray, of_group: Callable[[FloatArray], float]) -> list[float | None]:
    return [
        None if np.isnan(group).all() else round(float(of_group(group[~np.isnan(group)])), 3)
        for group in _groups(values)
    ]
