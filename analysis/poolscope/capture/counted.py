"""Work items that only the runtime's counters tell of: queued while no worker looked, and never started.

A pool logs an enqueue only after some worker next takes an item, so a pool that stands still when we attach logs nothing.
Its counters still say how many items are queued. Every start is logged, so what a reading counts beyond the known items
was still queued at the end of the capture: its wait has a lower bound.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from poolscope.base.arrays import IntArray
from poolscope.capture.schema import flag

NOTABLE_SHARE = 0.05
"""For the queue: the counters and the events are read at slightly different moments, so fewer items may be none."""
LEAST = 2


def with_counted(items: pd.DataFrame, counters: pd.DataFrame, window: tuple[int, int]) -> pd.DataFrame:
    """Returns `work_items` with a row for each item that only `pool_counters` counts. Its enqueue is -1 (before the
    capture), or the first reading that counts it: its wait is at least as long."""
    start, stop = window
    counters = counters[(counters["queue_length"] >= 0) & (counters["time"] <= stop)].sort_values("time")
    if counters.empty:
        return items
    time = np.maximum(counters["time"].to_numpy(), start)
    unseen = counters["queue_length"].to_numpy() - _queued_at(items, time)
    # What a later reading no longer counts was not in the queue to the end.
    lasting = np.maximum(np.minimum.accumulate(unseen[::-1])[::-1], 0)
    if lasting[-1] < max(LEAST, NOTABLE_SHARE * float(counters["queue_length"].iloc[-1])):
        return items
    came = np.diff(lasting, prepend=0)
    enqueue = np.repeat(np.where(time <= start, -1, time), came)
    more = pd.DataFrame({"enqueue": enqueue})
    for column in items.columns:
        if column != "enqueue":
            more[column] = -1
    for column in ("enqueue_known", "dequeue_known", "end_known", "kind"):
        more[column] = 0
    before = flag("work_items", "censored_start") * (enqueue < 0)
    more["flags"] = before | flag("work_items", "queued_at_end")
    more["id"] = np.arange(len(more)) + len(items)
    return pd.concat((items, more[items.columns].astype(items.dtypes.to_dict())), ignore_index=True)


def _queued_at(items: pd.DataFrame, time: IntArray) -> IntArray:
    """Returns how many known items were queued at each time; one whose enqueue is not known was so from the beginning."""
    enqueue = np.sort(items["enqueue"].to_numpy())
    dequeue = items["dequeue"].to_numpy()
    started = np.sort(dequeue[dequeue >= 0])
    queued = np.searchsorted(enqueue, time, side="right") - np.searchsorted(started, time, side="right")
    return np.asarray(queued, dtype=np.int64)
