"""Compares the pool's limits, its goal, the cores and the clock with the evidence of the run and the manifest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_S
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum, flag
from poolscope.coverage.contradictions.contradiction import Contradiction

MOMENT = 0.01
"""The share of the window that is suspiciously short to contain all items."""
LEAST = 100
"""The least number of items for that suspicion."""
LEAST_WINDOW_NS = 2 * NS_PER_S
"""The least length of the recording for that suspicion: a wrong clock frequency moves every time to the beginning."""


def check_clock(capture: DecodedCapture) -> Iterator[Contradiction]:
    """Yields a contradiction if all items of a long recording lie within its first moment. Skips captures in which
    the kernel shows when the workers ran, which is better evidence (threads.py), and captures that ended with the
    process."""
    items = capture.stored("work_items")
    if items is None or capture.kernel_tier == "tracepoint" or capture.manifest.get("stop") == "target-exit":
        return
    start, stop = capture.window
    times = np.concatenate([items[name].to_numpy() for name in ("enqueue", "dequeue", "end")])
    times = times[times >= 0]
    if len(items) < LEAST or stop - start < LEAST_WINDOW_NS:
        return
    inside = int(times.max()) - start <= MOMENT * (stop - start)
    yield Contradiction(
        "work_items, streams",
        f"items lie within the first {MOMENT:.0%} of the recording, as if its clock were read wrong",
        len(items) if inside else 0,
        len(items),
    )


FARTHEST = 512
"""The most threads by which the goal may exceed both the number of workers and the minimum. In some 290 captures it is
126 at most, in a process that starved before."""
BOOKED_LATE_NS = NS_PER_S
"""The kernel books the lost time of a CPU once it has the CPU back: a reading may include the loss of this much earlier
time."""
EVENT = enum("pool_limits", "known", "event")


def check_limits(capture: DecodedCapture) -> Iterator[Contradiction]:
    """Yields impossible limits, goals and cores."""
    yield from _limits(capture)
    yield from _cores(capture)
    yield from _lost_cpu(capture)


def _limits(capture: DecodedCapture) -> Iterator[Contradiction]:
    limits, changes, items = (capture.stored(name) for name in ("pool_limits", "pool_changes", "work_items"))
    if limits is None or changes is None or items is None or limits.empty or capture.manifest.get("pool"):
        return
    target = capture.manifest["target"]
    wrong = np.zeros(len(limits), dtype=bool)
    smallest, largest = target.get("min_threads"), target.get("max_threads")
    for column, told in (("min", smallest), ("max", largest)):
        if told is not None:
            wrong |= (limits["known"].to_numpy() != EVENT) & (limits[column].to_numpy() != told["value"])
    # The runtime reports the limits that it began with; the default maximum is the same everywhere.
    if target["launched"] and largest is not None:
        wrong[0] |= limits["max"].to_numpy()[0] != largest["value"]
    yield Contradiction("pool_limits, capture.json", "limits differ from the manifest's", int(wrong.sum()), len(limits))
    most, least = int(limits["max"].max()), int(limits["min"].min())
    goal = changes["goal"].to_numpy()
    beyond = (goal > most) | (goal < least)
    beyond |= goal > max(len(capture.table("workers")), int(limits["min"].max())) + FARTHEST
    yield Contradiction(
        "pool_changes, pool_limits", "goals are outside the pool's limits", int(beyond.sum()), len(goal)
    )
    begin, end = items["dequeue"].to_numpy(), items["end"].to_numpy()
    ran = (begin >= 0) & ((items["flags"].to_numpy() & flag("work_items", "inlined")) == 0)
    end = np.where(end < 0, max(capture.window[1], int(begin.max(initial=0))), end)
    base = capture.window[0]
    at_once = int(Steps.count(begin[ran] - base, end[ran] - base).value.max(initial=0.0)) if ran.any() else 0
    over = max(at_once - most, 0)
    yield Contradiction("work_items, pool_limits", "items ran at once beyond the maximum of threads", over, at_once)


def _cores(capture: DecodedCapture) -> Iterator[Contradiction]:
    capacity = capture.stored("capacity")
    if capacity is None or capacity.empty:
        return
    cores, allowed, quota = (capacity[name].to_numpy() for name in ("cores", "cpus_allowed", "cpu_quota"))
    wrong = ~(np.abs(cores - np.fmin(allowed, quota)) <= 0.01 * np.abs(cores))
    online = capture.manifest["host"].get("cpus_online")
    if online is not None:
        wrong |= allowed > int(online)
    yield Contradiction(
        "capacity, capture.json", "readings of the cores contradict themselves", int(wrong.sum()), len(wrong)
    )


def _lost_cpu(capture: DecodedCapture) -> Iterator[Contradiction]:
    lost, online = capture.stored("lost_cpu"), capture.manifest["host"].get("cpus_online")
    if lost is None or lost.empty or online is None:
        return
    start, end, stolen, interrupts = (lost[name].to_numpy() for name in ("start", "end", "stolen", "interrupts"))
    most = int(online) * ((end - start) + BOOKED_LATE_NS)
    wrong = stolen.astype(np.float64) + interrupts > most
    yield Contradiction(
        "lost_cpu, capture.json", "readings say that CPUs lost more time than passed", int(wrong.sum()), len(wrong)
    )
