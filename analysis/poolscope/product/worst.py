"""The items that waited longest, each with its story: who queued it, what the pool did meanwhile, and where it then
blocked."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import IntArray
from poolscope.base.searches import rows_before
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.blame.evidence import EVENT, name_stretches
from poolscope.blame.stacks import stack_names
from poolscope.capture import DecodedCapture
from poolscope.capture.thread_names import thread_names
from poolscope.contract.analysis_json import BlockedInJson, PoolMeanJson, PoolMomentJson, WorstItemJson
from poolscope.executions.segments import BLOCKED, READY, RUNNING, Segments
from poolscope.naming.choice import kind_of, user_method
from poolscope.product.causes import CAUSES, main_cause, wait_by_cause
from poolscope.product.item_names import KINDS, item_kinds, item_methods, item_stacks_seen

SHOWN = 3
"""The most places named for each item, longest first."""


def blocked_in(capture: DecodedCapture, attribution: Attribution, chosen: IntArray) -> list[list[BlockedInJson]]:
    """Returns the places in which each chosen item (index into Items) blocked longest. Empty if none is known.

    Blocked time without an event or a snapshot of its own is neither named nor estimated here.
    """
    if attribution.split is None or not capture.has("stacks", "frames", "waits"):
        return [[] for _ in chosen]
    segments, suspension = attribution.segments, attribution.suspension
    mine = _rows_of(segments, np.sort(chosen))
    mine = mine[segments.state[mine] == BLOCKED]
    start, end, item = segments.start[mine], segments.end[mine], segments.item[mine]
    inside = np.rint(suspension.integral(start, end)).astype(np.int64)
    suspended = np.where(suspension.at(start) > 0, inside, 0)
    told = name_stretches(capture, attribution.items.worker[item], start, end, end - start - suspended, suspended)
    names = stack_names(capture, attribution)
    places: dict[int, dict[tuple[str | None, str, str], int]] = {int(i): defaultdict(int) for i in chosen}
    for at in np.flatnonzero(told.stack >= 0):
        path = names.path(int(told.stack[at]))
        known_by = "event" if told.origin[at] == EVENT else "snapshot"
        kind = kind_of(path, bool(told.lock[at]))
        places[int(item[at])][user_method(path), kind, known_by] += int(told.held[at])
    return [_longest(places[int(i)]) for i in chosen]


def _longest(places: dict[tuple[str | None, str, str], int]) -> list[BlockedInJson]:
    ranked = sorted(places.items(), key=lambda p: (-p[1], p[0][1], p[0][0] or "", p[0][2]))
    return [
        {"method": method, "kind": kind, "known_by": known_by, "ms": round(ns / NS_PER_MS, 6)}
        for (method, kind, known_by), ns in ranked[:SHOWN]
        if ns > 0
    ]


COUNT = 10
"""The number of stories."""
STATES = 1 + max(RUNNING, READY, BLOCKED)
"""The number of states in counts by state."""


def longest_waits(attribution: Attribution, count: int = COUNT) -> IntArray:
    """Returns the indexes of the items that waited longest, longest first."""
    wait = attribution.items.wait
    few = np.arange(len(wait))
    if len(wait) > count:
        few = np.flatnonzero(wait >= np.partition(wait, len(wait) - count)[len(wait) - count])
    return np.asarray(few[np.argsort(-wait[few], kind="stable")[:count]])


def worst_items(capture: DecodedCapture, attribution: Attribution, count: int = COUNT) -> list[WorstItemJson]:
    """Returns the `count` longest waits, longest first. Times are seconds from the start of the window, durations
    ms."""
    items = attribution.items
    chosen = longest_waits(attribution, count)
    parts = wait_by_cause(attribution)
    cause = main_cause(attribution)
    seen = item_stacks_seen(capture, attribution.executions, chosen)
    methods, method = item_methods(capture, attribution.executions, seen)
    kinds = item_kinds(capture, items, attribution.executions, seen)
    table = capture.table("work_items")
    names = thread_names(capture, table["enqueue_tid"].to_numpy()[items.row[chosen]])
    execution = attribution.execution
    places = blocked_in(capture, attribution, chosen)
    moment = _Moments(attribution)
    wait, ran, censored = items.wait, items.started, items.censored
    stories: list[WorstItemJson] = []
    for i, place in zip(chosen, places, strict=True):
        row = table.iloc[int(items.row[i])]
        started = bool(ran[i])
        enqueue, dequeue = int(items.enqueue[i]), int(items.dequeue[i])
        stories.append(
            {
                "item": int(items.row[i]),
                "kind": KINDS[int(kinds[i])],
                "method": methods[int(method[i])].method if method[i] >= 0 else None,
                "task_id": int(row["task_id"]) if row["task_id"] >= 0 else None,
                "enqueued_s": _seconds(enqueue),
                "enqueue_seen": not bool(items.censored_start[i]),
                "started_s": _seconds(dequeue) if started else None,
                "ended_s": _seconds(items.end[i]) if started and not items.running_at_end[i] else None,
                "wait_ms": _ms(wait[i]),
                "at_least": bool(censored[i]),
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
                # A thread takes its own newest item before it checks the other queues.
                "overtaken_by": int(np.count_nonzero((items.enqueue > enqueue) & (items.dequeue < dequeue) & ran)),
                "pool": {
                    "at_enqueue": moment.at(enqueue),
                    "meanwhile": moment.mean(enqueue, dequeue),
                    "at_start": moment.at(dequeue),
                },
            }
        )
    return stories


class _Moments:
    """Goal, busy workers and their states at a moment, or on average over a stretch. Unknown states are None.

    Each call scans the executions: there are few calls, and step functions of all segments would cost more.
    """

    def __init__(self, attribution: Attribution) -> None:
        self._pool, self._segments, self._executions = attribution.pool, attribution.segments, attribution.executions
        self._known = attribution.split is not None

    def at(self, time: int) -> PoolMomentJson:
        """Returns the counts right before `time`, when the item itself has changed nothing yet."""
        pool, segments = self._pool, self._segments
        rows = self._meanwhile(time, time)
        there = rows[(segments.start[rows] < time) & (segments.end[rows] >= time)]
        count = np.bincount(segments.state[there], minlength=STATES)
        goal, busy = (round(float(series.at(time - 0.5))) for series in (pool.goal, pool.busy))
        running, ready, blocked = (int(count[s]) if self._known else None for s in (RUNNING, READY, BLOCKED))
        return {"goal": goal, "busy": busy, "running": running, "ready": ready, "blocked": blocked}

    def mean(self, begin: int, end: int) -> PoolMeanJson | None:
        """Returns the mean state of the pool in a stretch, or None if the stretch is empty."""
        if end <= begin:
            return None
        pool, segments = self._pool, self._segments
        rows = self._meanwhile(begin, end)
        there = rows[(segments.start[rows] < end) & (segments.end[rows] > begin)]
        part = np.minimum(segments.end[there], end) - np.maximum(segments.start[there], begin)
        time = np.bincount(segments.state[there], part, STATES) / (end - begin)
        goal, busy = (float(series.integral(begin, end)) / (end - begin) for series in (pool.goal, pool.busy))
        running, ready, blocked = (round(float(time[s]), 3) if self._known else None for s in (RUNNING, READY, BLOCKED))
        return {
            "goal": round(goal, 3),
            "busy": round(busy, 3),
            "running": running,
            "ready": ready,
            "blocked": blocked,
        }

    def _meanwhile(self, begin: int, end: int) -> IntArray:
        """Returns the segments of the executions that ran at some time from `begin` to `end`."""
        ran = (self._executions.start < end) & (self._executions.end >= begin)
        return _rows_of(self._segments, np.flatnonzero(ran))


def _rows_of(segments: Segments, executions: IntArray) -> IntArray:
    """Returns the rows of the segments of these executions, which are in ascending order."""
    first = rows_before(segments.item, executions)
    count = rows_before(segments.item, executions, side="right") - first
    return np.asarray(np.repeat(first - (np.cumsum(count) - count), count) + np.arange(int(count.sum())))


def _seconds(ns: float) -> float:
    return round(float(ns) / NS_PER_S, 6)


def _ms(ns: float) -> float:
    return round(float(ns) / NS_PER_MS, 6)
