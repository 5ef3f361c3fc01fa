"""A part of a recording, from one moment to another: its properties, and the rows of each table that belong to it.

The rows are those of a recording of this time alone, together with the state of the pool when it began. An item that
was queued before the part counts as queued before the recording. An item that ran then is known to have held its
worker.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.base.sketch import Sketch
from poolscope.capture.pieces import Piece
from poolscope.capture.schema import enum, flag, load_schema

NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Recorded:
    """The figures of the whole recording, for comparison with its part."""

    start: int
    stop: int
    """The first and the last moment that the runtime stream covers."""
    waits: Sketch
    """The waits of all items, as `load_items` counts them."""
    late: int
    """The number of late items."""
    needed: int
    """The estimated bytes that the analysis of the whole recording takes."""
    allowed: int | None
    """The bytes that the analysis may take; None: not known."""


@dataclass(frozen=True)
class Part:
    """A part of a recording. Times are CLOCK_MONOTONIC ns."""

    start: int
    stop: int
    named: bool
    """Whether the user named the part; otherwise it is the part with most of the waiting that fits into memory."""
    late_share: float | None
    """The share of the waiting of late items, in item-seconds, within the part, 0..1; None: no item is late."""
    recorded: Recorded


MOMENTS = {
    **dict.fromkeys(("pool_changes", "hill_climbing", "capacity", "pool_counters"), "time"),
    **dict.fromkeys(("switches", "wakeups", "cpu_samples", "snapshots", "snapshot_moments"), "time"),
    **dict.fromkeys(("socket_reports", "socket_io", "earlier_calls"), "time"),
    **{"timers": "fired", "requests": "start", "calls": "start", "earlier_requests": "end"},
}
"""Tables of events, and of activities that belong to the part in which they began, with the column of the time."""
INTERVALS = dict.fromkeys(("parked", "thread_states", "waits", "task_waits", "suspensions"), ("start", "end"))
"""Tables of intervals that belong to every part that they touch; an older one begins with the part."""
READINGS = dict.fromkeys(("throttles", "lost_cpu"), ("start", "end"))
"""Tables of amounts between two readings. A row belongs to a part if it contains both readings."""
LIVES = {
    "threads": ("start", "end"),
    "workers": ("start", "stop"),
    "activities": ("start", "end"),
    "tasks": ("scheduled", "completed"),
}
"""Tables of intervals that belong to every part that they touch. A begin before the part is unknown, like one before a
recording."""
HOLDING = ("pool_changes", "capacity")
"""Tables whose rows hold until the next one. The last row before the part counts from the part's begin on."""
ENDED_WITH: dict[str, dict[str, tuple[str, ...]]] = {
    "requests": {"handler_end": ("handler_end_tid",), "end": ("end_tid",)},
    "calls": {"left_queue": ("left_queue_tid",), "end": ("end_tid", "status")},
    "activities": {"start": ("tid",), "end": ("end_tid",)},
}
"""Columns that are unknown if a time is, by table and by the column of that time."""


def is_cut(table: str) -> bool:
    """Returns whether a part has only some rows of this table. The other tables are small and hold for the whole
    recording."""
    return table == "work_items" or table in MOMENTS or table in INTERVALS | READINGS | LIVES


def chosen(table: str, piece: Piece, part: Part) -> BoolArray:
    """Returns whether each row of a piece of a table belongs to the part."""
    if table == "work_items":
        return _items(piece, part)
    if table in MOMENTS:
        time = piece.column(MOMENTS[table])
        return np.asarray((time >= part.start) & (time < part.stop))
    start, end = (piece.column(name) for name in (INTERVALS | READINGS | LIVES)[table])
    if table in READINGS:
        return np.asarray((start >= part.start) & (end <= part.stop))
    if table == "tasks":
        started = piece.column("started")
        start = np.where(start < 0, started, start)
    # A row without an end lasts to the end of the recording.
    inside = (start < part.stop) & (np.where(end < 0, NEVER, end) > part.start)
    if table in ("task_waits", "activities"):
        # An await has no end here (tasks.completed shows it), so the part would keep every await of the recording. An
        # activity that neither begins nor ends in the part is not reported, just as a recording does not report one
        # outside it.
        told = (end >= 0) & (end <= part.stop)
        if table == "task_waits":
            told |= piece.column("behavior") == enum("task_waits", "behavior", "synchronous")
        inside &= told | (start >= part.start)
    return np.asarray(inside)


def _items(piece: Piece, part: Part) -> BoolArray:
    """Returns whether each item was queued in the part, or taken by a worker in it. `running_before` returns the items
    that already ran."""
    enqueue, dequeue = piece.column("enqueue"), piece.column("dequeue")
    queued = np.where(enqueue < 0, part.recorded.start, enqueue)
    taken = np.where(dequeue < 0, NEVER, dequeue)
    queued = np.where((piece.column("flags") & flag("work_items", "inlined")) != 0, taken, queued)
    return np.asarray((queued < part.stop) & (taken >= part.start))


@dataclass(frozen=True)
class RunningBefore:
    """Workers that were inside an item when the part began, and the end of each item, CLOCK_MONOTONIC ns; shape
    (workers,)."""

    worker: IntArray
    end: IntArray


NOBODY = RunningBefore(np.zeros(0, np.int64), np.zeros(0, np.int64))


def running_before(piece: Piece, part: Part) -> RunningBefore:
    """Returns the items that already ran, for one piece of `work_items`."""
    dequeue, end = piece.column("dequeue"), piece.column("end")
    end = np.where(end < 0, NEVER, end)
    own = (piece.column("flags") & flag("work_items", "inlined")) == 0
    ran = own & (dequeue >= 0) & (dequeue < part.start) & (end > part.start)
    return RunningBefore(piece.column("worker_tid")[ran].astype(np.int64), np.minimum(end[ran], part.stop))


def cut(table: str, rows: pd.DataFrame, part: Part) -> pd.DataFrame:
    """Returns the chosen rows without any knowledge of the time before and after the part."""
    rows = rows.copy()
    if table == "work_items":
        return _cut_items(rows, part)
    if table in INTERVALS:
        rows["start"] = np.maximum(rows["start"].to_numpy(), part.start)
    if table in LIVES:
        begin = LIVES[table][0]
        rows[begin] = np.where(rows[begin] < part.start, -1, rows[begin])
    for column in load_schema().tables[table].columns:
        if column.is_time:
            time = rows[column.name].to_numpy()
            rows[column.name] = np.where(time <= part.stop, time, part.stop if "known" in column.must else -1)
    for time, others in ENDED_WITH.get(table, {}).items():
        for other in others:
            rows.loc[rows[time] < 0, other] = -1
    if table == "calls":
        unfinished = (rows["end"] < 0) & (rows["outcome"] == enum("calls", "outcome", "answered"))
        rows.loc[unfinished, "outcome"] = enum("calls", "outcome", "open")
    if table == "activities":
        rows = rows.sort_values("start", key=lambda start: start.where(start >= 0, rows["end"]), kind="stable")
    return rows


def _cut_items(rows: pd.DataFrame, part: Part) -> pd.DataFrame:
    """Cuts items to the part, in the order of `work_items`. The order changes: items queued before the part are ordered
    by dequeue."""

    def put(chosen: AnyArray, column: str, value: int) -> None:
        rows.loc[chosen, column] = value

    def mark(chosen: AnyArray, name: str) -> None:
        rows["flags"] = np.where(chosen, rows["flags"] | flag("work_items", name), rows["flags"]).astype(np.uint16)

    inlined = (rows["flags"].to_numpy() & flag("work_items", "inlined")) != 0
    enqueue, dequeue, end = (rows[name].to_numpy().copy() for name in ("enqueue", "dequeue", "end"))
    before = (enqueue >= 0) & (enqueue < part.start)
    put(before, "enqueue", -1)
    put(before, "enqueue_known", enum("work_items", "enqueue_known", "absent"))
    mark(before & ~inlined, "censored_start")
    waiting = dequeue >= part.stop
    for column in ("dequeue", "end", "worker_tid"):
        put(waiting, column, -1)
    put(waiting, "dequeue_known", enum("work_items", "dequeue_known", "absent"))
    mark(waiting, "queued_at_end")
    running = ~waiting & (end > part.stop)
    put(running, "end", -1)
    mark(running, "running_at_end")
    put(rows["end"].to_numpy() < 0, "end_known", enum("work_items", "end_known", "absent"))
    rows["flags"] = np.where(
        waiting, rows["flags"] & ~np.uint16(flag("work_items", "running_at_end")), rows["flags"]
    ).astype(np.uint16)
    order = np.where(rows["enqueue"] >= 0, rows["enqueue"], rows["dequeue"])
    # Items queued before the begin and still queued at the end have no time in the part.
    order = np.where(order < 0, part.start, order)
    return rows.iloc[np.argsort(order, kind="stable")]


def held_before(table: str, rows: pd.DataFrame, part: Part) -> pd.DataFrame:
    """Returns the row of a table of HOLDING that holds when the part begins, with the time of that moment; empty if no
    row holds. In a change of the goal, no thread made the change, and it is no act of the pool."""
    last = rows[rows["time"].to_numpy() < part.start].tail(1)
    if last.empty and table == "capacity":
        last = rows.head(1)  # the first reading also holds for the time before it
    changed: dict[str, object] = {"time": part.start}
    if table == "pool_changes":
        changed |= {"throughput": np.nan, "tid": -1, "reason": enum("pool_changes", "reason", "Initializing")}
    return last.assign(**changed).astype(rows.dtypes.to_dict())
