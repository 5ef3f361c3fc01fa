"""What a worker does when it starts, and when its item has ended or gave the thread back."""

from __future__ import annotations

from heapq import heappop
from math import inf

from poolscope.base.units import NS_PER_S
from poolscope.replay.loop.items import advance, blocking_goal, stand_in, work_off
from poolscope.replay.loop.state import MS, NONE, QUEUED_FIRST, State
from poolscope.replay.loop.threads import SPIN_NS, add_worker, ensure_requested
from poolscope.replay.policies.policy import DEDICATED, NET


def take(s: State) -> int:
    """Takes the next item of the queue; -1 if it is empty."""
    return heappop(s.queued)[1] if s.queued else -1


def begin(s: State, item: int) -> None:
    """Starts the item, or the rest of it, on a thread."""
    if item >= s.items or s.stand_in[item] == QUEUED_FIRST:
        stand_in(s, item)
        return
    if s.start[item] == inf:
        s.start[item] = s.now
        if s.queue[item] >= 0:
            work_off(s, s.queue[item])
    advance(s, item)


def dispatch(s: State) -> None:
    """Lets a worker of .NET take requests as long as there are any, and work if the queue has something for it; then it
    parks. (PortableThreadPool.WorkerThread and ThreadPoolWorkQueue.Dispatch.)"""
    while s.requested > 0:
        s.requested -= 1
        s.last_dequeue = s.tick()
        s.outstanding = max(s.outstanding - 1, 0)
        item = take(s)
        if item >= 0:
            ensure_requested(s)  # without a look at the queue: the chain by which workers come
            begin(s, item)
            return
    s.working -= 1
    s.parked.append(s.now)


def climb(s: State, now: float) -> None:
    """Lets hill climbing take a sample if one is due. `now`: tick."""
    if not s.net.climbs or s.working > s.goal or s.pending != NONE or now < s.next_sample:
        return
    elapsed = s.now - s.sample_start
    if elapsed / MS < (s.next_sample - s.prior_sample) / 2.0:
        return
    lowest = min(s.goal, blocking_goal(s))
    goal, interval = s.climbing.update(
        s.goal, elapsed / NS_PER_S, s.completions, lowest, int(s.limit_max), s.cpu_percent
    )
    s.prior_sample = now
    s.next_sample = now + interval
    s.sample_start = s.now
    s.completions = 0
    before = s.goal
    if goal != before:
        s.goal = goal
        s.log_goal(s.climbing.reason)
        if goal > before:
            add_worker(s)


def after_item(s: State) -> None:
    """Decides what a worker of .NET does after an item."""
    now = s.tick()
    s.completions += 1
    s.last_dequeue = now
    climb(s, now)
    if s.working > s.goal:
        s.working -= 1
        s.parked.append(s.now - SPIN_NS)  # a thread that was told to stop does not spin
        return
    item = take(s)
    if item >= 0:
        begin(s, item)
    else:
        dispatch(s)


def next_item(s: State) -> None:
    """Lets a thread of a pool with one queue take the next item, or park."""
    item = take(s)
    if item >= 0:
        begin(s, item)
    else:
        s.parked.append(s.now)


def worker_started(s: State, is_new: int) -> None:
    """Runs a signalled or new thread."""
    if s.given.kind == NET:
        dispatch(s)
    else:
        if not is_new:
            s.waking -= 1
        next_item(s)


def worker_free(s: State) -> None:
    """Decides what a thread does after its item has ended or gave it back."""
    if s.given.kind == NET:
        after_item(s)
    elif s.given.kind == DEDICATED:
        s.threads -= 1
        s.log_threads()
    else:
        next_item(s)
