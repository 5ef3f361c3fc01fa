"""Compares work items with the tables of the same moments (parks, workers, threads and tasks) and with the runtime's
counter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import pandas as pd

from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.lookup import latest
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum, flag
from poolscope.coverage.contradictions.contradiction import Contradiction
from poolscope.coverage.gaps import without_work_items

LEAST = 20
"""The least number of items in the counter: a few may belong to the collector's own sessions."""
SHARE = 0.5
"""The share of missing items that the time of a reading cannot explain. An attached process had 39 % of its items
running before the capture, which no event shows."""


def check_counters(capture: DecodedCapture) -> Iterator[Contradiction]:
    """Yields a contradiction if the counter has more than twice the items of the events."""
    counters, items = capture.stored("pool_counters"), capture.stored("work_items")
    if counters is None or items is None or capture.manifest.get("pool") or without_work_items(capture.manifest):
        return
    start, stop = capture.window
    inside = (counters["since"] >= start) & (counters["time"] <= stop) & (counters["completed"] >= 0)
    read = counters[inside]
    if read.empty:
        return
    told = int(read["completed"].sum())
    # The counter rises when an item ends. The event that bounds its end may come seconds later if cores are few. So the
    # counter may have counted any item that had begun by the last reading.
    end = items["end"].to_numpy()
    begun = (end < 0) | (end > read["since"].min())
    begun &= items["dequeue"].to_numpy() <= read["time"].max()
    begun &= items["dequeue_known"].to_numpy() == enum("work_items", "dequeue_known", "event")
    seen = int(begun.sum())
    lacking = max(told - seen, 0)
    if told >= LEAST:
        words = "items that the runtime counted have no event"
        yield Contradiction("work_items, pool_counters", words, lacking if lacking > SHARE * told else 0, told)


TASK_NS = int(50 * NS_PER_MS)
"""The longest time between an item's event and its task's. In some 290 captures it is 7 ms at most, when the thread
lost its core between the two. A longer time means another item, or another clock."""
TABLE: Final = "work_items"


def check_items(capture: DecodedCapture) -> Iterator[Contradiction]:
    """Yields ends, parks, workers and tasks without a counterpart in the other table. Checks no items of a reference
    pool or of a tool that did not record items, and no table that the capture lacks."""
    items, workers, parked = (capture.stored(name) for name in (TABLE, "workers", "parked"))
    if items is None or workers is None or parked is None or capture.manifest.get("pool"):
        return
    if without_work_items(capture.manifest):
        return
    yield from _workers(capture, items, workers, parked)
    yield from _parks(items, workers, parked)
    yield from _ends(capture, items, workers, parked)
    tasks = capture.stored("tasks")
    if tasks is not None:
        yield from _tasks(items, tasks)


def _workers(
    capture: DecodedCapture, items: pd.DataFrame, workers: pd.DataFrame, parked: pd.DataFrame
) -> Iterator[Contradiction]:
    ran = items["worker_tid"].to_numpy()
    ran = ran[(ran >= 0) & ((items["flags"].to_numpy() & flag(TABLE, "inlined")) == 0)]
    known = workers["tid"].to_numpy()
    yield Contradiction(
        f"{TABLE}, workers", "items ran on a thread that is not a worker", int((~np.isin(ran, known)).sum()), len(ran)
    )
    silent = ~np.isin(known, ran) & (workers["start"].to_numpy() < 0) & (workers["stop"].to_numpy() < 0)
    silent &= ~np.isin(known, parked["tid"].to_numpy()) & (capture.part is None)
    yield Contradiction(
        f"workers, {TABLE}", "workers neither ran an item nor began nor parked", int(silent.sum()), len(known)
    )
    began = workers["start"].to_numpy() >= 0
    yield Contradiction(
        f"workers, {TABLE}",
        "workers began, and no item was ever seen",
        int(began.sum()) if items.empty else 0,
        len(known),
    )
    threads = capture.stored("threads")
    if threads is not None and len(threads):
        own = threads["tid"].to_numpy()[threads["pid"].to_numpy() == int(capture.manifest["target"]["pid"])]
        foreign = np.isin(known, threads["tid"].to_numpy()) & ~np.isin(known, own)
        yield Contradiction(
            "workers, threads", "workers are threads of another process", int(foreign.sum()), len(known)
        )


def _parks(items: pd.DataFrame, workers: pd.DataFrame, parked: pd.DataFrame) -> Iterator[Contradiction]:
    """Checks that a park ends with the next activity of the worker."""
    ended = parked["end"].to_numpy() >= 0
    at, by = parked["end"].to_numpy()[ended], parked["tid"].to_numpy()[ended]
    dequeued = _is_moment_of(at, by, items["dequeue"], items["worker_tid"])
    stopped = _is_moment_of(at, by, workers["stop"], workers["tid"])
    again = _is_moment_of(at, by, parked["start"], parked["tid"])
    wrong = ~(dequeued | stopped | again)
    yield Contradiction(f"parked, {TABLE}", "parks end without any activity of their worker", int(wrong.sum()), len(at))


def _ends(
    capture: DecodedCapture, items: pd.DataFrame, workers: pd.DataFrame, parked: pd.DataFrame
) -> Iterator[Contradiction]:
    """Checks that an item ends with the next activity of its worker, if its end comes from that."""
    end, by = items["end"].to_numpy(), items["worker_tid"].to_numpy()
    known = items["end_known"].to_numpy()
    corrected = (items["flags"].to_numpy() & flag(TABLE, "end_corrected")) != 0
    absent = (known == enum(TABLE, "end_known", "absent")) != (end < 0)
    told = [("next_dequeue", items["dequeue"], items["worker_tid"]), ("park", parked["start"], parked["tid"])]
    told.append(("thread_stop", workers["stop"], workers["tid"]))
    if (threads := capture.stored("threads")) is not None:
        told.append(("thread_exit", threads["end"], threads["tid"]))
    for name, time, tid in told:
        chosen = (known == enum(TABLE, "end_known", name)) & ~corrected & (end >= 0)
        wrong = np.zeros(len(items), dtype=bool)
        wrong[chosen] = ~_is_moment_of(end[chosen], by[chosen], time, tid)
        absent |= wrong
    yield Contradiction(
        f"{TABLE}, parked", "items end at a moment that no event of their worker shows", int(absent.sum()), len(items)
    )


def _tasks(items: pd.DataFrame, tasks: pd.DataFrame) -> Iterator[Contradiction]:
    """Yields items whose times differ from those of their task: a task's events come right after the item's own."""
    task = items["task_id"].to_numpy()
    ids, row = np.unique(tasks["task_id"].to_numpy(), return_index=True)
    has = np.flatnonzero(task >= 0)
    at = np.minimum(np.searchsorted(ids, task[has]), max(len(ids) - 1, 0))
    there = (ids[at] == task[has]) if len(ids) else np.zeros(len(has), dtype=bool)
    yield Contradiction(f"{TABLE}, tasks", "items belong to a task that no event shows", int((~there).sum()), len(has))
    item, of = has[there], row[at[there]] if len(ids) else has[there]
    completed = items["end_known"].to_numpy()[item] == enum(TABLE, "end_known", "task_completed")
    wrong = items["end"].to_numpy()[item] != tasks["completed"].to_numpy()[of]
    yield Contradiction(
        f"{TABLE}, tasks",
        "items end at another time than their task",
        int((wrong & completed).sum()),
        int(completed.sum()),
    )
    for mine, other, sign, words in (
        ("dequeue", "started", 1, "items of tasks start at another time than their task"),
        ("enqueue", "scheduled", -1, "items of tasks are queued at another time than their task"),
    ):
        a, b = items[mine].to_numpy()[item], tasks[other].to_numpy()[of]
        both = (a >= 0) & (b >= 0)
        gap = sign * (b[both] - a[both])
        wrong = (gap < 0) | (gap > TASK_NS)
        yield Contradiction(f"{TABLE}, tasks", words, int(wrong.sum()), int(both.sum()))


def _is_moment_of(at: IntArray, by: IntArray, time: pd.Series, tid: pd.Series) -> BoolArray:
    """Returns whether the thread `by` has a row at exactly the time `at`."""
    times, threads = time.to_numpy(), tid.to_numpy().astype(np.int64)
    known = times >= 0
    times, threads = times[known], threads[known]
    if not len(times):
        return np.zeros(len(at), dtype=bool)
    row, found = latest(threads, times, by.astype(np.int64), at)
    return np.asarray(found & (times[row] == at))
