"""The loop over the events of one world.

Cores are shared by processor sharing: each of n runnable items and k competitors on c cores gets min(1, c / (n + k)) of
a core. Every runnable item is served at the same rate, so one virtual clock that advances at that rate orders all of
them: a CPU stretch of d ns that starts at virtual time v ends at v + d. If the rate is 1, all times are integers of ns
and the arithmetic is exact.
"""

from __future__ import annotations

from heapq import heappop
from math import inf

from poolscope.base.units import NS_PER_S
from poolscope.replay.loop.gate import gate_wakes, oldest_times_out, reference_gate_looks, set_limits
from poolscope.replay.loop.given import Given, Happened
from poolscope.replay.loop.items import (
    advance,
    arrive,
    blocking_goal,
    come,
    go_on,
    mark_comes,
    stand_in,
    start,
    work_off,
)
from poolscope.replay.loop.state import MS, NONE, QUEUED_FIRST, State
from poolscope.replay.loop.threads import SPIN_NS, add_worker, count_cpu, ensure_requested
from poolscope.replay.policies.policy import ALLOWED, DEDICATED, FIXED, NET, NET11, REFERENCE


def take(s: State) -> int:
    """Takes the next item of the queue, or returns -1 if it is empty."""
    return heappop(s.queued)[1] if s.queued else -1


def begin(s: State, item: int) -> None:
    """Starts or continues the item on a thread."""
    if item >= s.items or s.stand_in[item] == QUEUED_FIRST:
        stand_in(s, item)
        return
    if s.start[item] == inf:
        start(s, item)
        if s.queue[item] >= 0:
            work_off(s, s.queue[item])
    advance(s, item)


def dispatch(s: State) -> None:
    """Lets a worker of .NET take requests while there are any, and work if the queue has an item for it. Then the
    worker parks. (PortableThreadPool.WorkerThread and ThreadPoolWorkQueue.Dispatch.)"""
    while s.requested > 0:
        s.requested -= 1
        s.last_dequeue = s.tick()
        s.outstanding = max(s.outstanding - 1, 0)
        item = take(s)
        if item >= 0:
            ensure_requested(s)  # without checking the queue: each worker requests the next one
            begin(s, item)
            return
    s.working -= 1
    s.parked.append(s.now)


def climb(s: State, now: float) -> None:
    """Lets hill climbing take a sample if one is due. `now` is the tick."""
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
    """Decides the next step of a .NET worker after an item."""
    now = s.tick()
    s.completions += 1
    s.last_dequeue = now
    climb(s, now)
    if s.working > s.goal:
        s.working -= 1
        s.parked.append(s.now - SPIN_NS)  # a thread that must stop does not spin
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
    """Decides the next step of a thread after its item has ended or released it."""
    if s.given.kind == NET:
        after_item(s)
    elif s.given.kind == DEDICATED:
        s.threads -= 1
        s.log_threads()
    else:
        next_item(s)


UPTIME_NS = 1000e9
"""The assumed time since boot when the pool's first item ends. As in dotnet/runtime, hill climbing's first sample
covers all of it. Only the order of magnitude matters: the throughput is next to nothing."""


def run(given: Given) -> Happened:
    """Runs the world to its end."""
    s = State.of(given)
    prepare(s)
    while s.unfinished > 0:
        follow_world(s)
        rate = 0.0
        if s.cores > 0.0:
            rate = 1.0
            if s.running:
                rate = min(1.0, s.cores / (len(s.running) + s.competitors))
        soonest = soonest_but_cpu(s)
        cpu_ends = False
        if s.running and rate > 0.0:
            at = s.now + (s.running[0][0] - s.virtual) / rate
            if at <= soonest:
                soonest = at
                cpu_ends = True
        if given.kind == NET or given.kind == REFERENCE:
            if soonest == inf and not pool_may_help(s):
                break
            pool = soonest_of_pool(s)
            if pool < soonest:
                soonest = pool
                cpu_ends = False
        if soonest == inf:
            break
        if soonest > s.now:
            s.most_at_once = max(s.most_at_once, s.at_once)
        count_cpu(s, rate, soonest - s.now)
        if cpu_ends:
            s.virtual = s.running[0][0]  # assigned, not added as a product: the sum must be exact
        else:
            s.virtual += (soonest - s.now) * rate
        s.now = soonest
        follow_world(s)
        happen(s)
    s.most_at_once = max(s.most_at_once, s.at_once)
    return s.happened()


def soonest_but_cpu(s: State) -> float:
    """Returns the time of the next event that is neither the end of a CPU stretch nor the pool's own action."""
    soonest = s.blocked[0][0] if s.blocked else inf
    if s.arrivals < len(s.arrival_time):
        soonest = min(soonest, s.arrival_time[s.arrivals])
    if s.starting:
        soonest = min(soonest, s.starting[0][0])
    if s.step + 1 < len(s.time):
        soonest = min(soonest, s.time[s.step + 1])
    return soonest


def soonest_of_pool(s: State) -> float:
    """Returns the time of the pool's next action of its own."""
    soonest = min(s.gate_at, s.adjust_at, s.signal_at)
    if s.parked:
        soonest = min(soonest, s.parked[0] + s.idle_ns)
    return soonest


def pool_may_help(s: State) -> bool:
    """Returns whether the pool may still get a thread for a waiting item although no other event will ever happen."""
    if not s.queued:
        return False
    if s.given.kind == NET:
        may_grow = s.net.starvation or s.adjust_at < inf or s.signal_at < inf
        return may_grow and s.goal <= s.working and s.working < s.limit_max
    return s.threads < s.limit_max and s.reference.growth >= NET11


def follow_world(s: State) -> None:
    """Applies the present state of the world."""
    while s.step + 1 < len(s.time) and s.time[s.step + 1] <= s.now:
        s.step += 1
        given, step = s.given, s.step
        s.cores = float(given.cores[step])
        s.competitors = float(given.competitors[step])
        least, most = float(given.least[step]), float(given.most[step])
        if least != s.limit_min or most != s.limit_max:
            set_limits(s, least, most)


def happen(s: State) -> None:
    """Does everything that is due now. Ends and arrivals come before any item is picked."""
    kind = s.given.kind
    while s.running and s.running[0][0] <= s.virtual:
        _, item = heappop(s.running)
        s.position[item] += 1
        advance(s, item)
    while s.blocked and s.blocked[0][0] <= s.now:
        time, item = heappop(s.blocked)
        if item >= s.items:
            mark_comes(s, item)
        elif s.coming[item] == time:
            s.coming[item] = inf
            come(s, item)
        else:
            go_on(s, item)
    while s.arrivals < len(s.arrival_time) and s.arrival_time[s.arrivals] <= s.now:
        arrive(s, s.arrival_item[s.arrivals])
        s.arrivals += 1
    settle(s)
    while s.starting and s.starting[0][0] <= s.now:
        _, is_new = heappop(s.starting)
        worker_started(s, is_new)
        settle(s)
    if kind == NET:
        if min(s.gate_at, s.adjust_at, s.signal_at) <= s.now:
            gate_wakes(s)
    elif kind == REFERENCE and s.gate_at <= s.now:
        reference_gate_looks(s)
    while s.parked and s.parked[0] + s.idle_ns <= s.now:
        oldest_times_out(s)
    if kind == ALLOWED:
        while s.queued and s.working < s.limit_max:
            s.working += 1
            if s.working > s.threads:  # the most that were ever needed at once
                s.threads = s.working
                s.log_threads()
            begin(s, take(s))
            settle(s)


def settle(s: State) -> None:
    """Lets every item continue whose wait has just ended, and every thread that has just become free take its next
    item."""
    while s.resumed or s.free > 0:
        if s.resumed:
            go_on(s, s.resumed.popleft())
        else:
            s.free -= 1
            worker_free(s)


def prepare(s: State) -> None:
    """Sets up the world and the pool before the first item."""
    given = s.given
    s.now = min([s.time[0], *s.arrival_time[:1]])
    s.cores, s.competitors = float(given.cores[0]), float(given.competitors[0])
    s.limit_min, s.limit_max = float(given.least[0]), float(given.most[0])
    s.gate_time = s.now
    idle = 0
    if given.kind == NET:
        s.phase = s.draw() * s.net.jiffy_ms * MS
        s.idle_ns = s.net.idle_ms * MS
        s.sample_start = s.now - UPTIME_NS
        s.prior_sample = s.next_sample = s.tick() - UPTIME_NS / MS
        s.goal = int(s.limit_min)
        idle = s.net.warm_threads
    elif given.kind == REFERENCE:
        s.idle_ns = s.reference.idle_ms * MS
        if s.reference.growth == FIXED:
            idle = int(s.limit_min)
    s.parked.extend([s.now - SPIN_NS] * idle)
    s.threads = idle
    s.log_threads()
