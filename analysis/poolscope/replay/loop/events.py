"""The loop over the events of one world.

Cores are shared by processor sharing: of n runnable items and k competitors on c cores each gets min(1, c / (n + k)) of
a core. Every runnable item is served at the same rate, so one virtual clock that advances at that rate orders all of
them: a CPU stretch of d ns that starts at virtual time v ends at v + d. Where the rate is 1 all times are whole numbers
of ns and the arithmetic is exact.
"""

from __future__ import annotations

import math

from poolscope.base.arrays import FloatArray, IntArray
from poolscope.replay.loop.gate import gate_wakes, oldest_times_out, reference_gate_looks, set_limits
from poolscope.replay.loop.heaps import pop
from poolscope.replay.loop.items import advance, arrive, come, go_on, mark_comes
from poolscope.replay.loop.state import (
    ADJUST_AT,
    ARRIVALS,
    ARRIVAL_ITEM,
    ARRIVAL_TIME,
    ARRIVED,
    BLOCKED,
    BLOCKED_ITEMS,
    BLOCKED_KEYS,
    COMPETITORS,
    CORES,
    CPU_MACHINE,
    CPU_USED,
    ENV_COMPETITORS,
    ENV_CORES,
    ENV_MAX,
    ENV_MIN,
    ENV_STEP,
    ENV_STEPS,
    ENV_TIME,
    EXIST,
    FREE,
    GATE_AT,
    GATE_TIME,
    GOAL,
    IDLE_TIME,
    ITEMS,
    ITEM_COMING,
    ITEM_POSITION,
    KIND,
    LIMIT_MAX,
    LIMIT_MIN,
    MS,
    NEWEST,
    NEXT,
    NOW,
    OLDEST,
    PARAMETERS,
    PARKED_SINCE,
    PHASE,
    PRIOR,
    PROC,
    QUEUED,
    RESUMED,
    RESUMED_FIRST,
    RESUMED_RING,
    RESUMED_ROOM,
    RUNNING,
    RUNNING_ITEMS,
    RUNNING_KEYS,
    SAMPLE_START,
    SIGNAL_AT,
    STARTING,
    STARTING_KEYS,
    STARTING_NEW,
    SWITCHES,
    UNFINISHED,
    VIRTUAL,
    draw,
    log_threads,
    tick,
)
from poolscope.replay.loop.threads import SLICE_NS, SPIN_NS, park
from poolscope.replay.loop.workers import begin, take, worker_free, worker_started
from poolscope.replay.policies import net, reference
from poolscope.replay.policies.policy import ALLOWED, NET, REFERENCE

UPTIME_NS = 1000e9
"""Since boot, when the pool's first item ends: hill climbing's first sample is taken over all of it, as in
dotnet/runtime. Only its order of magnitude matters: the throughput is next to nothing."""


def run(f: FloatArray, i: IntArray, hill: FloatArray) -> None:
    """Runs the world that is laid out in `f` and `i` to its end; `hill`: state of hill climbing."""
    f[CORES] = f[i[ENV_CORES]]
    f[COMPETITORS] = f[i[ENV_COMPETITORS]]
    prepare(f, i)
    while i[UNFINISHED] > 0:
        follow_world(f, i)
        rate = 0.0
        if f[CORES] > 0.0:
            rate = 1.0
            if i[RUNNING] > 0:
                rate = min(1.0, f[CORES] / (i[RUNNING] + f[COMPETITORS]))
        soonest = soonest_but_cpu(f, i)
        cpu_ends = False
        if i[RUNNING] > 0 and rate > 0.0:
            at = f[NOW] + (f[i[RUNNING_KEYS]] - f[VIRTUAL]) / rate
            if at <= soonest:
                soonest = at
                cpu_ends = True
        if i[KIND] == NET or i[KIND] == REFERENCE:
            if soonest == math.inf and not pool_may_help(f, i):
                return
            pool = soonest_of_pool(f, i)
            if pool < soonest:
                soonest = pool
                cpu_ends = False
        if soonest == math.inf:
            return
        count_cpu(f, i, rate, soonest - f[NOW])
        if cpu_ends:
            f[VIRTUAL] = f[i[RUNNING_KEYS]]  # not by adding a product: the sum must be exact
        else:
            f[VIRTUAL] += (soonest - f[NOW]) * rate
        f[NOW] = soonest
        follow_world(f, i)
        happen(f, i, hill)


def soonest_but_cpu(f: FloatArray, i: IntArray) -> float:
    """Returns when the next thing happens that is neither the end of a CPU stretch nor the pool's own doing."""
    soonest = math.inf
    if i[BLOCKED] > 0:
        soonest = f[i[BLOCKED_KEYS]]
    if i[ARRIVED] < i[ARRIVALS]:
        soonest = min(soonest, f[i[ARRIVAL_TIME] + i[ARRIVED]])
    if i[STARTING] > 0:
        soonest = min(soonest, f[i[STARTING_KEYS]])
    if i[ENV_STEP] + 1 < i[ENV_STEPS]:
        soonest = min(soonest, f[i[ENV_TIME] + i[ENV_STEP] + 1])
    return soonest


def soonest_of_pool(f: FloatArray, i: IntArray) -> float:
    """Returns when the pool does something next by itself."""
    soonest = min(min(f[GATE_AT], f[ADJUST_AT]), f[SIGNAL_AT])
    if i[NEWEST] > i[OLDEST]:
        soonest = min(soonest, f[i[PARKED_SINCE] + i[OLDEST]] + f[IDLE_TIME])
    return float(soonest)


def pool_may_help(f: FloatArray, i: IntArray) -> bool:
    """Returns whether a pool in which nothing else will ever happen may still get a thread for an item that waits for one."""
    if i[QUEUED] == 0:
        return False
    if i[KIND] == NET:
        may_grow = f[PARAMETERS + net.STARVATION] > 0.0 or f[ADJUST_AT] < math.inf or f[SIGNAL_AT] < math.inf
        return bool(may_grow and i[GOAL] <= i[PROC] and i[PROC] < f[LIMIT_MAX])
    return bool(i[EXIST] < f[LIMIT_MAX] and f[PARAMETERS + reference.RULE] >= reference.NET11)


def follow_world(f: FloatArray, i: IntArray) -> None:
    """Takes over what the world is like now."""
    while i[ENV_STEP] + 1 < i[ENV_STEPS] and f[i[ENV_TIME] + i[ENV_STEP] + 1] <= f[NOW]:
        i[ENV_STEP] += 1
        step = i[ENV_STEP]
        f[CORES] = f[i[ENV_CORES] + step]
        f[COMPETITORS] = f[i[ENV_COMPETITORS] + step]
        if f[i[ENV_MIN] + step] != f[LIMIT_MIN] or f[i[ENV_MAX] + step] != f[LIMIT_MAX]:
            set_limits(f, i, f[i[ENV_MIN] + step], f[i[ENV_MAX] + step])


def count_cpu(f: FloatArray, i: IntArray, rate: float, elapsed: float) -> None:
    """Counts what the items and their competitors use of the cores in the time up to the next event."""
    if elapsed <= 0.0:
        return
    f[CPU_MACHINE] += min(f[CORES], i[RUNNING] + f[COMPETITORS]) * elapsed
    used = i[RUNNING] * rate * elapsed
    f[CPU_USED] += used
    if rate < 1.0:
        f[SWITCHES] += used / SLICE_NS


def happen(f: FloatArray, i: IntArray, hill: FloatArray) -> None:
    """Does everything that is due now. Ends and arrivals come before any item is picked."""
    while i[RUNNING] > 0 and f[i[RUNNING_KEYS]] <= f[VIRTUAL]:
        item = pop(f, i, i[RUNNING_KEYS], i[RUNNING_ITEMS], i[RUNNING])
        i[RUNNING] -= 1
        i[i[ITEM_POSITION] + item] += 1
        advance(f, i, item)
    while i[BLOCKED] > 0 and f[i[BLOCKED_KEYS]] <= f[NOW]:
        key = f[i[BLOCKED_KEYS]]
        item = pop(f, i, i[BLOCKED_KEYS], i[BLOCKED_ITEMS], i[BLOCKED])
        i[BLOCKED] -= 1
        if item >= i[ITEMS]:
            mark_comes(f, i, item)
        elif f[i[ITEM_COMING] + item] == key:
            f[i[ITEM_COMING] + item] = math.inf
            come(f, i, item)
        else:
            go_on(f, i, item)
    while i[ARRIVED] < i[ARRIVALS] and f[i[ARRIVAL_TIME] + i[ARRIVED]] <= f[NOW]:
        arrive(f, i, i[i[ARRIVAL_ITEM] + i[ARRIVED]])
        i[ARRIVED] += 1
    settle(f, i, hill)
    while i[STARTING] > 0 and f[i[STARTING_KEYS]] <= f[NOW]:
        is_new = pop(f, i, i[STARTING_KEYS], i[STARTING_NEW], i[STARTING])
        i[STARTING] -= 1
        worker_started(f, i, is_new)
        settle(f, i, hill)
    if i[KIND] == NET:
        if min(min(f[GATE_AT], f[ADJUST_AT]), f[SIGNAL_AT]) <= f[NOW]:
            gate_wakes(f, i, hill)
    elif i[KIND] == REFERENCE and f[GATE_AT] <= f[NOW]:
        reference_gate_looks(f, i)
    while i[NEWEST] > i[OLDEST] and f[i[PARKED_SINCE] + i[OLDEST]] + f[IDLE_TIME] <= f[NOW]:
        oldest_times_out(f, i, hill)
    if i[KIND] == ALLOWED:
        while i[QUEUED] > 0 and i[PROC] < f[LIMIT_MAX]:
            i[PROC] += 1
            if i[PROC] > i[EXIST]:  # the most that were ever needed at once
                i[EXIST] = i[PROC]
                log_threads(f, i)
            begin(f, i, take(f, i))
            settle(f, i, hill)


def settle(f: FloatArray, i: IntArray, hill: FloatArray) -> None:
    """Lets every item go on whose wait has just ended, and every thread that has just become free take its next item."""
    while i[RESUMED] > 0 or i[FREE] > 0:
        if i[RESUMED] > 0:
            item = i[i[RESUMED_RING] + i[RESUMED_FIRST]]
            i[RESUMED_FIRST] = (i[RESUMED_FIRST] + 1) % i[RESUMED_ROOM]
            i[RESUMED] -= 1
            go_on(f, i, item)
        else:
            i[FREE] -= 1
            worker_free(f, i, hill)


def prepare(f: FloatArray, i: IntArray) -> None:
    """Sets the pool up before the first item."""
    f[LIMIT_MIN] = f[i[ENV_MIN]]
    f[LIMIT_MAX] = f[i[ENV_MAX]]
    f[GATE_AT] = math.inf
    f[ADJUST_AT] = math.inf
    f[SIGNAL_AT] = math.inf
    f[IDLE_TIME] = math.inf
    f[GATE_TIME] = f[NOW]
    idle = 0
    if i[KIND] == NET:
        f[PHASE] = draw(f, i) * f[PARAMETERS + net.JIFFY_MS] * MS
        f[IDLE_TIME] = f[PARAMETERS + net.IDLE_MS] * MS
        f[SAMPLE_START] = f[NOW] - UPTIME_NS
        f[PRIOR] = tick(f, i) - UPTIME_NS / MS
        f[NEXT] = f[PRIOR]
        i[GOAL] = int(f[LIMIT_MIN])
        idle = int(f[PARAMETERS + net.WARM_THREADS])
    elif i[KIND] == REFERENCE:
        f[IDLE_TIME] = f[PARAMETERS + reference.IDLE] * MS
        if f[PARAMETERS + reference.RULE] == reference.FIXED:
            idle = int(f[LIMIT_MIN])
    for _ in range(idle):
        park(f, i, f[NOW] - SPIN_NS)
    i[EXIST] = idle
    log_threads(f, i)
