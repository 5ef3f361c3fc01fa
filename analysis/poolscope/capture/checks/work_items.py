"""What only work items are held to: how each time is known agrees with the time, and a worker runs one item at a time."""

from __future__ import annotations

import numpy as np
import pandas as pd

from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.capture.checks.damage import Damaged, refuse_any
from poolscope.capture.schema import flag

TABLE = "work_items"


def check_work_items(items: pd.DataFrame, lossy: bool = False) -> None:
    """Raises Damaged for the first row that contradicts itself or, unless events were lost, the rows of the same worker."""
    if items.empty:
        return
    enqueue, dequeue, end = (items[name].to_numpy() for name in ("enqueue", "dequeue", "end"))
    flags = items["flags"].to_numpy()
    inlined = (flags & flag(TABLE, "inlined")) != 0

    def refuse(wrong: AnyArray, column: str, why: str) -> None:
        refuse_any(wrong, TABLE, column, items[column].to_numpy(), why)

    refuse((enqueue < 0) & (dequeue < 0) & ((flags & flag(TABLE, "queued_at_end")) == 0), "dequeue", "and no enqueue")
    refuse((dequeue < 0) & (end >= 0), "end", "and no dequeue")
    refuse((items["worker_tid"].to_numpy() >= 0) & (dequeue < 0), "worker_tid", "and no dequeue")
    refuse((items["worker_tid"].to_numpy() < 0) & (dequeue >= 0), "worker_tid", "and a dequeue")
    for name, holds, exempt in (
        ("censored_start", enqueue < 0, inlined),
        ("queued_at_end", dequeue < 0, None),
        ("running_at_end", (dequeue >= 0) & (end < 0), None),
    ):
        wrong = ((flags & flag(TABLE, name)) != 0) != holds
        refuse(wrong if exempt is None else wrong & ~exempt, "flags", f"does not fit its times ({name})")
    if lossy:
        return
    order = np.where(enqueue >= 0, enqueue, dequeue)
    known = np.flatnonzero(order >= 0)
    _refuse_disorder(known, order[known])
    _refuse_overlap(items, dequeue, end, inlined)


def _refuse_disorder(row: IntArray, time: IntArray) -> None:
    wrong = time[1:] < time[:-1]
    if wrong.any():
        at = int(row[1:][np.argmax(wrong)])
        raise Damaged(TABLE, "enqueue", at, "the row is earlier than the one before, by enqueue (or dequeue)")


def _refuse_overlap(items: pd.DataFrame, dequeue: IntArray, end: IntArray, inlined: BoolArray) -> None:
    """Refuses items that overlap on a worker. An item without a known end must be the last of its worker: the next
    dequeue would be its end."""
    ran = np.flatnonzero((dequeue >= 0) & ~inlined)
    until = np.where(end[ran] >= 0, end[ran], np.iinfo(np.int64).max)
    order = np.lexsort((until, dequeue[ran], items["worker_tid"].to_numpy()[ran]))
    ran, until = ran[order], until[order]
    worker = items["worker_tid"].to_numpy()[ran]
    wrong = (worker[1:] == worker[:-1]) & (dequeue[ran][1:] < until[:-1])
    if wrong.any():
        row = int(ran[1:][np.argmax(wrong)])
        raise Damaged(
            TABLE, "dequeue", row, f"{dequeue[row]} is while worker {worker[1:][np.argmax(wrong)]} ran another item"
        )
