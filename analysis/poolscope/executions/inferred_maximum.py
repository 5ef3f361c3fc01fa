"""A maximum of threads that nobody told of: a program may set it before we attach, and no event repeats it.

The gate adds a thread when items are queued and nothing was taken or finished for 500 ms, unless the pool is at its
maximum. So a pool that stands still for seconds and adds none is at its maximum. While items finish, hill climbing tries
one thread more in every other pair of samples, unless there can be none.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_S
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.executions.items import Items
from poolscope.executions.pool import Pool
from poolscope.executions.segments import RUNNING, Segments

SAMPLES = 12
"""Of hill climbing, with items queued and the goal unchanged: it begins to vary the goal after five (facts of .NET 10)."""
SAMPLE = enum("hill_climbing", "event", "sample")
STANDSTILL_NS = 3 * NS_PER_S
"""Three times what an injected thread takes at most while the CPU is not busy (1 s)."""
BUSY_CPU = 0.7
"""Of the cores: above 80 % the gate waits a second for each thread of the goal; some margin for its own reading."""


def with_inferred_maximum(
    capture: DecodedCapture, pool: Pool, items: Items, segments: Segments, cores: float, window_ns: float
) -> Pool:
    """The pool with its busy threads as its maximum, where it had items queued for long and never tried a thread more.

    Only where the maximum is a default that nothing confirms and the capture began late.
    """
    if pool.goal_known or pool.limits_known == "event":
        return pool
    stood = _standstill(pool, items, segments, cores, window_ns)
    moment = stood if stood is not None else _never_varied(capture, pool, window_ns)
    if moment is None:
        return pool
    held = float(pool.busy.at(moment))
    # With fewer busy threads than the goal allows the pool was not full, whatever it waited for.
    if held < max(1.0, float(pool.goal.at(moment))) or held >= float(pool.maximum.value[-1]):
        return pool
    return replace(pool, maximum=Steps.constant(held), limits_known="inferred")


def _standstill(pool: Pool, items: Items, segments: Segments, cores: float, window_ns: float) -> float | None:
    """A moment, ns, in the longest stretch in which items were queued, none started or ended and no thread was added; None
    where there is no such stretch of STANDSTILL_NS, or the CPU was busy in it."""
    waiting = Steps(pool.queued.time, np.where(pool.queued.value > 0, 1.0, 0.0)).merged()
    moved = np.concatenate((items.dequeue[items.started], items.end[items.started], pool.goal.time[1:], waiting.time))
    moments = np.unique(np.concatenate(([0.0], np.clip(moved, 0, window_ns), [window_ns])))
    # Of a stretch in which nothing is queued the gate has nothing to do, however long it is.
    length = np.diff(moments) * waiting.at(moments[:-1])
    longest = int(np.argmax(length))
    if length[longest] < STANDSTILL_NS:
        return None
    begin, end = float(moments[longest]), float(moments[longest + 1])
    if float(segments.count(RUNNING).integral(begin, end)) / (end - begin) > BUSY_CPU * cores:
        return None
    return (begin + end) / 2


def _never_varied(capture: DecodedCapture, pool: Pool, window_ns: float) -> float | None:
    """The middle of the capture, ns, if hill climbing took its samples all the while with items queued and the goal never
    moved; None else."""
    if not capture.has("hill_climbing") or not capture.table("pool_changes").empty:
        return None
    rows = capture.table("hill_climbing")
    at = rows["time"].to_numpy()[rows["event"].to_numpy() == SAMPLE] - capture.window[0]
    under_backlog = at[pool.queued.at(at.astype(np.float64)) > 0]
    if len(under_backlog) < SAMPLES or under_backlog[-1] - under_backlog[0] < STANDSTILL_NS:
        return None
    return float(np.median(under_backlog))
