"""The run of the large capture's pool: when each item is queued, which worker takes it, and what that worker then
does."""

from __future__ import annotations

from typing import Any

import numpy as np

from poolscope.base.arrays import AnyArray
from poolscope.capture.schema import enum

US = 1_000
MS = 1_000_000
SECOND = 1_000_000_000
BASE = 1_000_000_000_000
"""Start of the window, not 0: a real clock never starts there."""

CPUS = 8
MIN_THREADS, WORKERS = 8, 32
GROWTH_STEP = SECOND
"""Time between added threads. A starved pool adds one about twice a second; here slower, so that growth fills a visible
part."""
PID, QUEUER_TID, FIRST_WORKER_TID, NEIGHBOUR_TID = 100, 100, 200, 9_000
MEAN_GAP = 700 * US
"""Mean time between items: 85 % of the capacity of 32 workers, and more than their capacity in a burst."""
BURST_EVERY, BURST_SHARE, BURST_SPEED = 20_000, 0.2, 1.6
"""Items between the starts of two bursts, the share of them in the burst, and how much closer they are there."""

STATES_PER_ITEM = 7
"""running, blocked, ready, running, blocked, ready, running."""
CHANGE_STEP = 500 * MS


def arrivals(random: np.random.Generator, items: int) -> AnyArray:
    """Returns the enqueue time of each item, ns from the start of the capture."""
    burst = np.arange(items) % BURST_EVERY < BURST_EVERY * BURST_SHARE
    gaps = random.exponential(MEAN_GAP, items) / np.where(burst, BURST_SPEED, 1.0)
    return np.asarray(np.cumsum(gaps), dtype=np.int64)


def workers_of(enqueue: AnyArray) -> AnyArray:
    """Returns the worker of each item, 0 ... WORKERS - 1: the workers that the pool has at that time, in turn."""
    threads = np.minimum(MIN_THREADS + enqueue // GROWTH_STEP, WORKERS)
    return np.asarray(np.arange(len(enqueue)) % threads)


def durations(random: np.random.Generator, items: int) -> AnyArray:
    """Draws the duration of each state of each item, ns: mostly blocked, like a service that calls a database."""
    mean = np.array([0.6, 9.0, 0.1, 0.8, 7.0, 0.1, 0.4]) * MS
    drawn = random.gamma(2.0, mean / 2.0, (items, STATES_PER_ITEM))
    return np.maximum(drawn, 2 * US).astype(np.int64)


def served(enqueue: AnyArray, work: AnyArray, worker: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Returns the start and end of each item on its worker. It starts when it is queued or when the worker is free,
    whichever is later."""
    dequeue = np.empty_like(enqueue)
    for which in range(WORKERS):
        mine = np.flatnonzero(worker == which)
        before = np.cumsum(work[mine]) - work[mine]
        dequeue[mine] = before + np.maximum.accumulate(enqueue[mine] + US - before)
    return dequeue, dequeue + work


def parks(dequeue: AnyArray, end: AnyArray, worker: AnyArray) -> tuple[AnyArray, dict[str, AnyArray]]:
    """Returns whether each item's worker parked at its end, because no item was queued for it, and the parks: thread,
    start, end (-1: at the end of the capture the worker is still parked)."""
    order = np.lexsort((dequeue, worker))
    following = np.full_like(end, -1)
    same = worker[order][1:] == worker[order][:-1]
    following[order[:-1][same]] = dequeue[order[1:][same]]
    parked = following != end
    idle = np.flatnonzero(parked)
    idle = idle[np.argsort(end[idle], kind="stable")]
    columns = {
        "tid": FIRST_WORKER_TID + worker[idle],
        "start": BASE + end[idle],
        "end": np.where(following[idle] < 0, -1, BASE + following[idle]),
    }
    return parked, columns


def states(
    dequeue: AnyArray, end: AnyArray, worker: AnyArray, parts: AnyArray, length: int
) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Returns the states of every worker without a gap, and every block inside an item: thread, start, end.

    A worker that takes its next item at once keeps running.
    """
    running, ready, blocked = (enum("thread_states", "state", name) for name in ("running", "ready", "blocked"))
    kinds = np.array([running, blocked, ready, running, blocked, ready, running], dtype=np.uint8)
    stops = dequeue[:, None] + np.cumsum(parts, axis=1)
    starts = stops - parts
    tid, start, stop, state = [], [], [], []
    for which in range(WORKERS):
        mine = np.flatnonzero(worker == which)
        gap_start = np.append(0, end[mine])
        gap_end = np.append(dequeue[mine], length)
        idle = gap_end > gap_start
        begin = np.concatenate([starts[mine].ravel(), gap_start[idle]])
        order = np.argsort(begin, kind="stable")
        start.append(begin[order])
        stop.append(np.concatenate([stops[mine].ravel(), gap_end[idle]])[order])
        kind = np.concatenate([np.tile(kinds, len(mine)), np.full(int(idle.sum()), blocked, np.uint8)])[order]
        changes = kind[1:] != kind[:-1]
        first, last = np.append(True, changes), np.append(changes, True)
        start[-1], stop[-1] = start[-1][first], stop[-1][last]
        state.append(kind[first])
        tid.append(np.full(int(first.sum()), FIRST_WORKER_TID + which, np.int32))
    held = kinds == blocked
    blocks = {
        "tid": np.repeat(FIRST_WORKER_TID + worker, int(held.sum())),
        "start": starts[:, held].ravel(),
        "end": stops[:, held].ravel(),
    }
    beat = np.arange(0, length - 20 * MS, 50 * MS)  # another process, 10 ms of every 50
    columns = {
        "tid": np.concatenate([*tid, np.full(len(beat), NEIGHBOUR_TID)]),
        "start": BASE + np.concatenate([*start, beat]),
        "end": BASE + np.concatenate([*stop, beat + 10 * MS]),
        "state": np.concatenate([*state, np.full(len(beat), running, np.uint8)]),
        "resolution": 0,
    }
    return columns, blocks


def switches(states: dict[str, Any], length: int) -> dict[str, Any]:
    """Returns the switches at the start and the end of each time on a core, inside the capture."""
    ran = states["state"] == enum("thread_states", "state", "running")
    tid, start, end = (states[name][ran] for name in ("tid", "start", "end"))
    idle = np.zeros(len(tid), dtype=np.int64)
    time = np.concatenate([end, start])
    leaving, coming = np.concatenate([tid, idle]), np.concatenate([idle, tid])
    order = np.argsort(time, kind="stable")
    order = order[(time[order] > BASE) & (time[order] < BASE + length)]
    return {
        "time": time[order],
        "cpu": (leaving + coming)[order] % CPUS,
        "prev_tid": leaving[order],
        "prev_state": 1,
        "next_tid": coming[order],
    }


def wakeups(blocks: dict[str, AnyArray]) -> dict[str, Any]:
    order = np.argsort(blocks["end"], kind="stable")
    woken = blocks["tid"][order]
    return {"time": BASE + blocks["end"][order], "cpu": 0, "wakee_tid": woken, "target_cpu": woken % CPUS}


def pool_changes(random: np.random.Generator, length: int) -> dict[str, Any]:
    """Returns starvation while the pool grows, then hill climbing around its size."""
    after = np.arange((WORKERS - MIN_THREADS + 1) * GROWTH_STEP, length, CHANGE_STEP)
    grown = np.arange(1, WORKERS - MIN_THREADS + 1)
    grown = grown[grown * GROWTH_STEP < length]
    reasons = [enum("pool_changes", "reason", name) for name in ("Starvation", "ClimbingMove")]
    return {
        "time": BASE + np.concatenate([grown * GROWTH_STEP, after]),
        "goal": np.concatenate([MIN_THREADS + grown, WORKERS + random.integers(0, 2, len(after))]),
        "reason": np.repeat(reasons, [len(grown), len(after)]),
        "throughput": 1_400.0,
        "tid": QUEUER_TID,
    }
