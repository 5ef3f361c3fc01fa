"""What a worker does when it starts, and when its item has ended or gave the thread back."""

from __future__ import annotations

import math

from poolscope.base.arrays import FloatArray, IntArray
from poolscope.base.units import NS_PER_S
from poolscope.replay.hill_climbing import REASON, update
from poolscope.replay.loop.heaps import pop
from poolscope.replay.loop.items import advance, blocking_goal, stand_in, work_off
from poolscope.replay.loop.state import (
    COMPLETIONS,
    CPU_PERCENT,
    EXIST,
    GOAL,
    ITEM_OBJECT,
    ITEM_STAND_IN,
    ITEM_START,
    ITEMS,
    KIND,
    LAST_DEQUEUE,
    LIMIT_MAX,
    MS,
    NEXT,
    NONE,
    NOW,
    OUTSTANDING,
    PARAMETERS,
    PENDING,
    PRIOR,
    PROC,
    QUEUED,
    QUEUED_FIRST,
    QUEUED_ITEMS,
    QUEUED_KEYS,
    REQUESTED,
    SAMPLE_START,
    WAKING,
    log_goal,
    log_threads,
    tick,
)
from poolscope.replay.loop.threads import SPIN_NS, add_worker, ensure_requested, park
from poolscope.replay.policies import net
from poolscope.replay.policies.policy import DEDICATED, NET


def take(f: FloatArray, i: IntArray) -> int:
    """Takes the next item of the queue; -1 if it is empty."""
    if i[QUEUED] == 0:
        return -1
    item = pop(f, i, i[QUEUED_KEYS], i[QUEUED_ITEMS], i[QUEUED])
    i[QUEUED] -= 1
    return item


def begin(f: FloatArray, i: IntArray, item: int) -> None:
    """Starts the item, or the rest of it, on a thread."""
    if item >= i[ITEMS] or i[i[ITEM_STAND_IN] + item] == QUEUED_FIRST:
        stand_in(f, i, item)
        return
    if f[i[ITEM_START] + item] == math.inf:
        f[i[ITEM_START] + item] = f[NOW]
        if i[i[ITEM_OBJECT] + item] >= 0:
            work_off(f, i, i[i[ITEM_OBJECT] + item])
    advance(f, i, item)


def dispatch(f: FloatArray, i: IntArray) -> None:
    """Lets a worker of .NET take requests as long as there are any, and work if the queue has something for it; then it
    parks. (PortableThreadPool.WorkerThread and ThreadPoolWorkQueue.Dispatch.)"""
    while i[REQUESTED] > 0:
        i[REQUESTED] -= 1
        f[LAST_DEQUEUE] = tick(f, i)
        i[OUTSTANDING] = max(i[OUTSTANDING] - 1, 0)
        item = take(f, i)
        if item >= 0:
            ensure_requested(f, i)  # without a look at the queue: the chain by which workers come
            begin(f, i, item)
            return
    i[PROC] -= 1
    park(f, i, f[NOW])
    if i[REQUESTED] > 0:
        add_worker(f, i)


def climb(f: FloatArray, i: IntArray, hill: FloatArray, now: float) -> None:
    """Lets hill climbing take a sample if one is due. `now`: tick."""
    if f[PARAMETERS + net.CLIMBS] == 0.0 or i[PROC] > i[GOAL] or i[PENDING] != NONE or now < f[NEXT]:
        return
    elapsed = f[NOW] - f[SAMPLE_START]
    if elapsed / MS < (f[NEXT] - f[PRIOR]) / 2.0:
        return
    lowest = min(i[GOAL], blocking_goal(f, i))
    goal, interval = update(
        hill,
        i[GOAL],
        elapsed / NS_PER_S,
        i[COMPLETIONS],
        lowest,
        int(f[LIMIT_MAX]),
        f[CPU_PERCENT],
    )
    f[PRIOR] = now
    f[NEXT] = now + interval
    f[SAMPLE_START] = f[NOW]
    i[COMPLETIONS] = 0
    before = i[GOAL]
    if goal != before:
        i[GOAL] = goal
        log_goal(f, i, int(hill[REASON]))
        if goal > before:
            add_worker(f, i)


def after_item(f: FloatArray, i: IntArray, hill: FloatArray) -> None:
    """Decides what a worker of .NET does after an item."""
    now = tick(f, i)
    i[COMPLETIONS] += 1
    f[LAST_DEQUEUE] = now
    climb(f, i, hill, now)
    if i[PROC] > i[GOAL]:
        i[PROC] -= 1
        park(f, i, f[NOW] - SPIN_NS)  # a thread that was told to stop does not spin
        return
    item = take(f, i)
    if item >= 0:
        begin(f, i, item)
    else:
        dispatch(f, i)


def next_item(f: FloatArray, i: IntArray) -> None:
    """Lets a thread of a pool with one queue take the next item, or park."""
    item = take(f, i)
    if item >= 0:
        begin(f, i, item)
    else:
        park(f, i, f[NOW])


def worker_started(f: FloatArray, i: IntArray, is_new: int) -> None:
    """Runs a signalled or new thread."""
    if i[KIND] == NET:
        dispatch(f, i)
    else:
        if is_new == 0:
            i[WAKING] -= 1
        next_item(f, i)


def worker_free(f: FloatArray, i: IntArray, hill: FloatArray) -> None:
    """Decides what a thread does after its item has ended or gave it back."""
    if i[KIND] == NET:
        after_item(f, i, hill)
    elif i[KIND] == DEDICATED:
        i[EXIST] -= 1
        log_threads(f, i)
    else:
        next_item(f, i)
