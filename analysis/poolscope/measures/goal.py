"""Why the goal stayed low while items waited for a thread: the gate thread added none, or hill climbing lowered it.

The gate checks every 500 ms. It adds one thread if requests are pending, the goal is reached, and no item was taken or
finished for more than 500 ms. At 80 % CPU and more, that time is goal x 1000 ms. While cooperative blocking adjusts the
goal, the gate does not check at all. (Facts of System.Private.CoreLib 8.0 to 10.0.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import FloatArray, IntArray
from poolscope.base.series import Steps, distinct
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.executions.pool import Pool
from poolscope.executions.segments import RUNNING
from poolscope.executions.states import threads_in_state


QUIET_NS = 500.0 * NS_PER_MS
"""The gate acts only if nothing was taken or finished for longer than this. It is also the gate's period."""
TICK_NS = 4.0 * NS_PER_MS
"""The gate's clock moves in ticks of the kernel's timer (250 Hz), and it compares strictly: one tick later it is sure
to act."""
BUSY_CPU = 0.80
"""The share of the processors, over one period of the gate, from which it waits longer."""
PER_THREAD_NS = 1000.0 * NS_PER_MS
"""How long it then waits for each thread of the goal."""
CPU_STEP_NS = 100.0 * NS_PER_MS
"""The step in which the process's CPU is examined if the times of the gate's checks are unknown."""
KNOWN_LOOKS = 20
"""The number of checks before and after an added thread that are assumed to be whole periods away. An added thread
shows one check. Each period lasts up to 0.6 ms longer than 500, so the last check is at most 12 ms off."""


@dataclass(frozen=True)
class GateHold:
    """The part of each item's injection delay in which the gate was held back, ns, shape (items,)."""

    by_progress: FloatArray
    """An item had finished within the last 500 ms, and some had been queued for that long."""
    by_cpu: FloatArray
    """Nothing had moved for 500 ms, but the process's CPU was at 80 % or more."""


def measure_gate(capture: DecodedCapture, attribution: Attribution) -> GateHold:
    """Divides every item's injection delay by the share of its wait for a thread in each state of the gate."""
    assert attribution.split is not None
    items, pool, injection = attribution.items, attribution.pool, attribution.split.parts.injection
    finished = np.unique(items.end[items.started & ~items.running_at_end]).astype(np.float64)
    moved = distinct(np.concatenate((finished, items.dequeue[items.started].astype(np.float64))))
    patience = np.maximum(pool.goal.at(moved) * PER_THREAD_NS, QUIET_NS)

    # Short of threads: items are queued, the goal is reached, and the maximum is not.
    short = pool.queued.combine(pool.busy, lambda queued, busy: np.where(queued > 0, busy, -1.0))
    short = short.combine(pool.goal, np.greater_equal)
    short = short.combine(pool.goal.combine(pool.maximum, np.less), np.multiply)
    short = short.combine(_cooperative(capture), lambda is_short, adjusting: np.where(adjusting > 0, 0.0, is_short))
    waited = short.integral(items.enqueue, items.dequeue)
    # Even without progress, the gate would not have acted sooner than this after the queue formed.
    backlog = short.combine(_queued_for_long(pool.queued), np.multiply)

    def part(state: Steps) -> FloatArray:
        while_held = backlog.combine(state, np.multiply).integral(items.enqueue, items.dequeue)
        share = np.clip(while_held / np.maximum(waited, 1.0), 0.0, 1.0)
        return np.asarray(injection * share)

    # The gate's decision holds until its next check.
    cpu = _cpu(capture)
    held = _windows(moved, QUIET_NS + TICK_NS, patience + TICK_NS).at(cpu.time) * (cpu.value >= BUSY_CPU)
    return GateHold(by_progress=part(_windows(finished, 0.0, QUIET_NS)), by_cpu=part(Steps(cpu.time, held)))


def _queued_for_long(queued: Steps) -> Steps:
    """Returns 1 while items have been queued without a break for at least the gate's own delay, otherwise 0."""
    change = np.flatnonzero(np.diff(np.pad((queued.value > 0).astype(np.int8), 1)))
    edges = np.append(queued.time, np.inf)[change]
    begin, end = edges[::2] + QUIET_NS, edges[1::2]
    lasting = end > begin
    return Steps.count(begin[lasting], np.minimum(end[lasting], np.finfo(np.float64).max))


def starvations(capture: DecodedCapture) -> int:
    """Returns how many threads the gate added."""
    return len(_added(capture))


def _added(capture: DecodedCapture) -> FloatArray:
    """Returns when the gate added a thread, ns from the start of the window, ascending."""
    changes = capture.table("pool_changes")
    starved = changes["reason"].to_numpy() == enum("pool_changes", "reason", "Starvation")
    return np.sort(changes["time"].to_numpy()[starved] - capture.window[0]).astype(np.float64)


def _windows(time: FloatArray, begin: float, end: float | FloatArray) -> Steps:
    """Returns 1 from `begin` to `end` after each time, but only up to the next time; otherwise 0."""
    following = np.append(time[1:], np.inf) if len(time) else time
    first = time + begin
    last = np.minimum(time + end, following)
    some = last > first
    return Steps.count(first[some], last[some])


def _cooperative(capture: DecodedCapture) -> Steps:
    """Returns 1 in the 500 ms after each adjustment for cooperative blocking, whose delays are at most 250 ms;
    otherwise 0."""
    changes = capture.table("pool_changes")
    adjusted = changes["reason"].to_numpy() == enum("pool_changes", "reason", "CooperativeBlocking")
    time = np.unique(changes["time"].to_numpy()[adjusted] - capture.window[0]).astype(np.float64)
    return _windows(time, 0.0, QUIET_NS)


def _looks(capture: DecodedCapture) -> FloatArray:
    """Returns when the gate checked, as far as the threads that it added show: ns from the start of the window,
    ascending."""
    added = _added(capture)
    periods = QUIET_NS * np.arange(KNOWN_LOOKS + 1)
    before, after = np.subtract.outer(added, periods), np.add.outer(added, periods)
    previous, following = np.append(-np.inf, added[:-1]), np.append(added[1:], np.inf)
    # Between two added threads, count back from the later one, because its delay is the one to explain.
    told = before > previous[:, np.newaxis] + QUIET_NS / 2
    left = after < following[:, np.newaxis] - periods[-1]
    looks: FloatArray = np.unique(np.concatenate((before[told], after[left])))
    return looks[looks >= 0]


def _cpu(capture: DecodedCapture) -> Steps:
    """Returns the share of the processors that the process used in the 500 ms before each check of the gate, held until
    the next check. The gate on Linux reads it in the same way."""
    start, stop = capture.window
    target = capture.manifest["target"]
    threads = capture.table("threads")
    own: IntArray = threads["tid"].to_numpy()[threads["pid"].to_numpy() == int(target["pid"])]
    own = np.union1d(own, capture.table("workers")["tid"].to_numpy())
    running = threads_in_state(capture, RUNNING, own)
    looks = _looks(capture)
    at = np.arange(0.0, float(stop - start) + CPU_STEP_NS, CPU_STEP_NS)
    since = at - np.append(-np.inf, looks)[np.searchsorted(looks, at, side="right")]
    at = np.union1d(at[since > QUIET_NS], looks)
    used = running.integral(np.maximum(at - QUIET_NS, 0.0), at) / QUIET_NS
    return Steps(at, used / float(target["processor_count"]))


OTHER_REASONS = tuple(
    enum("pool_changes", "reason", r) for r in ("Starvation", "ThreadTimedOut", "CooperativeBlocking")
)
"""Reasons of changes that are not made by hill climbing."""


@dataclass(frozen=True)
class Lowered:
    """The times at which hill climbing lowered the goal under a backlog, in order."""

    time: FloatArray
    """Shape (lowerings,), ns from the start of the window."""
    goal_before: FloatArray
    goal_after: FloatArray
    queued: FloatArray
    """The number of items queued then."""
    cost: FloatArray
    """How much of each item's injection delay a pool without hill climbing would have saved, ns, shape (items,)."""
    without: FloatArray
    """Each item's delay without hill climbing, ns."""


def measure_lowered(capture: DecodedCapture, attribution: Attribution) -> Lowered:
    """Replays the run in a pool without hill climbing: without its cuts and without its raises."""
    split, pool = attribution.split, attribution.pool
    assert split is not None
    changes = capture.table("pool_changes")
    climbing = ~np.isin(changes["reason"].to_numpy(), OTHER_REASONS)
    time = (changes["time"].to_numpy() - capture.window[0]).astype(np.float64)
    at, goal = time[climbing], changes["goal"].to_numpy()[climbing].astype(np.float64)
    before, queued = pool.goal.at(np.nextafter(at, -np.inf)), pool.queued.at(at)
    counts = (goal < before) & (queued > 0)
    as_is = split.ladder.as_is
    without = as_is
    if counts.any():
        without = split.ladder.worlds.with_threads(_without_climbing(pool, at))
    cost = np.minimum(np.maximum(as_is - without, 0.0), split.parts.injection.astype(np.float64))
    return Lowered(at[counts], before[counts], goal[counts], queued[counts], cost, without)


def _without_climbing(pool: Pool, climbed: FloatArray) -> Steps:
    """Returns the goal with all steps except hill climbing's, at their size, within the limits of their time. A step
    without another explanation is a change of the limits."""
    goal = pool.goal
    step = np.diff(goal.value, prepend=goal.value[0])
    step[np.isin(goal.time, climbed)] = 0.0
    time = np.unique(np.concatenate((goal.time, pool.minimum.time, pool.maximum.time)))
    steps = np.zeros(len(time))
    steps[np.searchsorted(time, goal.time)] = step
    low, high = pool.minimum.at(time), pool.maximum.at(time)
    value, current = np.empty(len(time)), float(goal.value[0])
    for i in range(len(time)):  # changes of a pool: hundreds, not one per item
        current = min(max(current + steps[i], low[i]), high[i])
        value[i] = current
    return Steps(time, value)
