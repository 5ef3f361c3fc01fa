"""Sentences of the verdict about the measurements rather than the cause.

They say how long requests took and the largest part of that. Without a cause, they say how long items were queued, what
workers and cores did, and the bounds given by the runtime's counters.
"""

from __future__ import annotations

import numpy as np

from poolscope.base.units import NS_PER_MS
from poolscope.base.words import duration, items, percent
from poolscope.capture import DecodedCapture
from poolscope.coverage.coverage import pairs_doubt
from poolscope.coverage.gaps import without_work_items
from poolscope.evidence.evidence import Evidence
from poolscope.executions.segments import RUNNING
from poolscope.measures.counted_waits import (
    WaitBounds,
    bounds_words,
    intervals,
    longest_stall,
    stall_words,
    wait_bounds,
)


LEAST_MS = 1000.0
"""Items queued for less say little about why they waited."""
NOBODY = 0.05
"""The mean number of workers with an item below which there were none except for a moment."""
IDLE = 0.5
"""The share of the cores' time from which the cores are called idle."""


def measured(evidence: Evidence) -> str:
    """Returns the longest time in which items were queued, as a sentence after a space. Empty if they were not queued
    for long, or if the pairs of enqueue and dequeue are doubtful."""
    pool, count = evidence.attribution.pool, evidence.attribution.items.count
    if count == 0 or pairs_doubt(evidence.coverage):
        return ""
    time = np.append(pool.queued.time, evidence.capture.window[1] - evidence.capture.window[0])
    edges = np.flatnonzero(np.diff((pool.queued.value > 0).astype(np.int8), prepend=0, append=0))
    begin, end = time[edges[::2]], time[edges[1::2]]
    if not len(begin):
        return ""
    longest = int(np.argmax(end - begin))
    start, stop = float(begin[longest]), float(end[longest])
    length = stop - start
    if length < LEAST_MS * NS_PER_MS:
        return ""
    most = int(pool.queued.value[(time[:-1] >= start) & (time[:-1] < stop)].max())
    busy = float(pool.busy.integral(start, stop)) / length
    nobody = busy < NOBODY
    workers = "no worker had an item" if nobody else f"{busy:.1f} workers had an item on average"
    said = [f"{items(most)} {'was' if most == 1 else 'were'} queued at once", workers]
    idle = _idle(evidence, start, stop)
    if idle is not None:
        said.append("cores were idle" if idle >= IDLE else f"cores were idle {percent(idle)} of the time")
    told = ": the runtime did not start them" if nobody and idle is not None and idle >= IDLE else ""
    return f" Measured: for {duration(length / NS_PER_MS)} items were queued without a break, {', '.join(said)}{told}."


def _idle(evidence: Evidence, start: float, stop: float) -> float | None:
    """Returns the share of the cores' time that no thread wanted. None if the kernel stream does not show every
    thread."""
    if not evidence.capture.sees_other_processes or evidence.attribution.cores <= 0:
        return None
    wanted = evidence.split.competitors.all.integral(start, stop)
    wanted += evidence.attribution.segments.count(RUNNING).integral(start, stop)
    return max(1.0 - float(wanted) / (evidence.attribution.cores * (stop - start)), 0.0)


LEAST_STALL_S = 3.0
"""The shortest standstill that the verdict reports: single items may take seconds."""


def counters_sentence(capture: DecodedCapture) -> str:
    """Returns a sentence or two, each after a space. Empty if there are no counters, or if they bound nothing."""
    if without_work_items(capture.manifest) is None or not capture.has("pool_counters"):
        return ""
    rows, (start, stop) = capture.table("pool_counters"), capture.window
    read = intervals(rows[(rows["time"] >= start) & (rows["time"] <= stop)], start)
    bounds, stall = wait_bounds(read), longest_stall(read)
    said = f" {bounds_words(bounds.least, bounds.most)}" if isinstance(bounds, WaitBounds) else ""
    if stall is not None and stall.to_s - stall.from_s >= LEAST_STALL_S:
        said += f" {stall_words(stall.from_s, stall.to_s, stall.queued)}"
    return said


ENOUGH = 0.5
"""The share of the requests that must be tied and answered. With less, the others might be the slow ones."""
GROUPS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "waiting for a thread": ((), ("injection", "blocking")),
    "waiting for a core": (("ready",), ("core",)),
    "suspended by the runtime, or handed to a thread": (("runtime",), ("runtime",)),
    "lying unread before a thread took it": ((), ("other",)),
    "waiting for other services": (("services",), ()),
    "in their own work": (("cpu", "blocked", "unseen"), ()),
    "waiting for a timer": (("timer",), ()),
    "waiting for data on a shared connection": (("shared",), ()),
    "waiting for a thread outside the pool": (("thread",), ()),
    "waiting for something that no event shows": (("other",), ()),
}
"""The parts of the latency and the causes of its waits, grouped by the question that a reader of the first sentence
has. They add up to the latency: `unread` and `queued` are reported by their causes."""


def requests_sentence(evidence: Evidence, with_parts: bool = True, beyond: bool = False) -> str:
    """Returns how long requests took and the largest part of that, as a sentence after a space.

    Empty without requests, or if too few can be measured. Without `with_parts` it says only how long. "Lying unread" is
    left out if late requests already have a place. With `beyond`, the time in question came after the first byte of the
    answer, up to which requests are measured.
    """
    requests, parts = evidence.requests, evidence.request_parts
    if requests is None or parts is None or len(parts.row) < ENOUGH * requests.count:
        return ""
    groups = {
        words: sum(float(parts.part[name].sum()) for name in own)
        + sum(float(parts.cause[name].sum()) for name in causes)
        for words, (own, causes) in GROUPS.items()
    }
    total = sum(groups.values())
    if total <= 0:
        return ""
    most = max(groups, key=lambda words: groups[words])
    mean = duration(total / len(parts.row) / NS_PER_MS)
    count = "The request" if len(parts.row) == 1 else f"{len(parts.row):,} answered requests"
    if beyond:
        return f" The first byte of an answer went out {mean} after its request arrived, on average."
    parts_said = f", {percent(groups[most] / total)} of it {most}" if with_parts else ""
    return f" {count} took {mean} on average{parts_said}."
