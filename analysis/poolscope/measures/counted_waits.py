"""Bounds of the mean wait from the runtime's own counters, for captures without work items.

Little's law: in a steady state, the mean wait is the mean number of queued items divided by the rate at which items
leave the queue. The counters give the queue's length at single moments, and the number of items that ended between two
of them. Nothing is assumed about the time between readings. In an interval the queue lost as many items as began, and
gained that number plus its change, in any order. So the bounds are about one interval apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from poolscope.base.arrays import FloatArray
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, items, moment

LEAST_INTERVALS = 3
LEAST_ITEMS = 30
"""Fewer ended items say little about a mean."""
STEADY = 0.2
"""A queue is not steady if it grew or shrank by more than this share of the items that ended,"""
STEADY_OF_QUEUE = 0.5
"""or by more than this share of its mean length,"""
NEGLIGIBLE = 0.02
"""unless that is a smaller share of the items that ended."""
ITEMS_PER_THREAD = 2.0
"""The least number of ended items per thread: the threads' own items blur both ends."""
SLACK = 0.1
"""A share of an interval. If two rows are further apart, the readings between them were lost."""

WHY = {
    "not_told": "those of threads or of completed items were not recorded",
    "few_readings": "there are too few readings",
    "few_items": "too few items ended",
    "not_steady": "the queue grew or shrank too much to be called steady",
    "longer_than_recording": "fewer items ended than were in the queue, so items wait longer than the recording lasts",
}
"""The reasons for missing bounds, in words."""

NoBounds = Literal["not_told", "few_readings", "few_items", "not_steady", "longer_than_recording"]


@dataclass(frozen=True)
class Intervals:
    """The time between two readings, one row each: seconds from the start of the window, and counts."""

    start: FloatArray
    end: FloatArray
    queued_before: FloatArray
    queued_after: FloatArray
    completed: FloatArray
    threads_before: FloatArray
    threads_after: FloatArray

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True)
class Stall:
    """Consecutive readings between which no item ended, although items were queued at each of them."""

    from_s: float
    to_s: float
    queued: int
    """The least number of queued items at any of the readings."""


@dataclass(frozen=True)
class WaitBounds:
    """Bounds of the mean wait of the items that left the queue, ms."""

    least: float
    most: float


def intervals(counters: pd.DataFrame, start: int) -> Intervals:
    """Returns the intervals of `pool_counters` with both readings. `start` is that of the window, ns. -1 means not
    reported."""
    rows = counters[counters["queue_length"] >= 0]
    time, since = (rows[name].to_numpy(dtype=np.float64) for name in ("time", "since"))
    # A row counts completed items since `since`, which is the previous reading if none was lost.
    follows = np.abs(since[1:] - time[:-1]) <= SLACK * np.maximum(time[1:] - since[1:], 1)
    known = follows & (rows["completed"].to_numpy()[1:] >= 0) & (time[1:] > time[:-1])

    def both(name: str) -> tuple[FloatArray, FloatArray]:
        values = rows[name].to_numpy(dtype=np.float64)
        return values[:-1][known], values[1:][known]

    queued, threads = both("queue_length"), both("threads")
    return Intervals(
        (time[:-1][known] - start) / NS_PER_S,
        (time[1:][known] - start) / NS_PER_S,
        *queued,
        both("completed")[1],
        *threads,
    )


def wait_bounds(read: Intervals) -> WaitBounds | NoBounds:
    """Returns bounds of the mean wait, or the reason why there are none."""
    if len(read) < LEAST_INTERVALS:
        return "few_readings"
    if (np.minimum(read.threads_before, read.threads_after) < 0).any():
        return "not_told"
    completed = float(read.completed.sum())
    if completed < max(
        LEAST_ITEMS, ITEMS_PER_THREAD * float(np.maximum(read.threads_before, read.threads_after).max())
    ):
        return "few_items"
    mean, change = float(read.queued_after.mean()), abs(float(read.queued_after[-1] - read.queued_before[0]))
    if change > STEADY * completed or change > max(STEADY_OF_QUEUE * mean, NEGLIGIBLE * completed):
        return "not_steady"
    if mean > completed:
        return "longer_than_recording"  # fewer items were recorded leaving the queue than were in it
    least, most = _area(read)
    return WaitBounds(
        _ms(least / (completed + float(read.threads_after[-1]))),
        _ms(most / (completed - float(read.threads_before[0]))),
    )


def _area(read: Intervals) -> tuple[float, float]:
    """Returns the least and the greatest possible integral of the queue's length over time, in item-seconds.

    In each interval the queue is at least its earlier length less the items that began, and at most its later length
    plus these. In one interval, the items that began are at most those that ended plus one per thread. Over consecutive
    intervals the threads' items count once, because an item that began in one interval and ended in the next is the
    same item.
    """
    length, began = read.end - read.start, read.completed + read.threads_after
    most_by_each = float(((read.queued_after + began) * length).sum())
    least_by_each = float((np.maximum(read.queued_before - began, 0) * length).sum())
    breaks = 1 + int((read.start[1:] != read.end[:-1]).sum())
    blur = float(read.completed.sum()) + breaks * float(read.threads_after.max())
    most = float((read.queued_after * length).sum()) + blur * float(length.max())
    least = float((read.queued_before * length).sum()) - blur * float(length.max())
    return max(least, least_by_each, 0.0), min(most, most_by_each)


def longest_stall(read: Intervals) -> Stall | None:
    """Returns the longest time in which no item ended while items were queued, or None."""
    stands = (read.completed == 0) & (read.queued_before > 0) & (read.queued_after > 0)
    longest: Stall | None = None
    for at in range(len(read)):
        if not stands[at] or (at > 0 and stands[at - 1] and read.end[at - 1] == read.start[at]):
            continue
        last = at
        while last + 1 < len(read) and stands[last + 1] and read.start[last + 1] == read.end[last]:
            last += 1
        queued = min(read.queued_before[at : last + 1].min(), read.queued_after[at : last + 1].min())
        stall = Stall(float(read.start[at]), float(read.end[last]), int(queued))
        if longest is None or stall.to_s - stall.from_s > longest.to_s - longest.from_s:
            longest = stall
    return longest


def _ms(seconds: float) -> float:
    return round(seconds * NS_PER_S / NS_PER_MS, 6)


def bounds_words(least: float, most: float) -> str:
    """Returns the bounds, ms, and their basis in words."""
    between = f"at most {duration(most)}" if least == 0 else f"{duration(least)} to {duration(most)}"
    return f"By the runtime\u2019s counters, the mean wait was {between}, if the queue was steady."


def stall_words(from_s: float, to_s: float, queued: int) -> str:
    """Returns a standstill in words."""
    return f"No work item ended from {moment(from_s)} to {moment(to_s)}, while at least {items(queued)} were queued."


def no_bounds_words(why: str) -> str:
    """Returns a sentence on why the counters do not bound the mean wait."""
    return f"The counters do not bound the mean wait: {WHY[why]}."
