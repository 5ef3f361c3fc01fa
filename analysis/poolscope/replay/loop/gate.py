"""What a pool does now and then: the gate thread's looks, the end of idle threads, new limits."""

from __future__ import annotations

import math

from poolscope.base.arrays import FloatArray, IntArray
from poolscope.replay.hill_climbing import (
    COOPERATIVE_BLOCKING,
    INITIALIZING,
    STARVATION,
    THREAD_TIMED_OUT,
    force_change,
)
from poolscope.replay.loop.items import blocking_goal, signal_gate
from poolscope.replay.loop.state import (
    ADJUST_AT,
    CPU_MACHINE,
    CPU_PERCENT,
    CPU_USED,
    EXIST,
    GATE_AT,
    GATE_CPU,
    GATE_STATE,
    GATE_TICK,
    GATE_TIME,
    GOAL,
    IMMEDIATELY,
    KIND,
    LAST_CREATION,
    LAST_DEQUEUE,
    LIMIT_MAX,
    LIMIT_MIN,
    MS,
    NONE,
    NOW,
    NUM_ADDED,
    NUM_BLOCKED,
    OLDEST,
    PARAMETERS,
    PENDING,
    PROC,
    QUEUED,
    QUEUED_BEFORE,
    REQUESTED,
    SIGNAL_AT,
    WITH_DELAY,
    log_goal,
    log_threads,
    tick,
)
from poolscope.replay.loop.threads import (
    GATE_PERIOD_MS,
    add_worker,
    idle_threads,
    lateness_ns,
    park,
    required_gap_ns,
    start_thread,
)
from poolscope.replay.policies import net, reference
from poolscope.replay.policies.policy import NET

BUSY_CPU = 80.0
"""Percent from which a starving pool waits as many seconds as it has threads before it adds one; below, half a second
(dotnet/runtime, PortableThreadPool.GateThread)."""
STARVED_MS = 500.0
BUSY_STARVED_MS_PER_THREAD = 1000.0


def set_goal(f: FloatArray, i: IntArray, hill: FloatArray, goal: int, reason: int) -> None:
    """Changes the goal for another reason than hill climbing."""
    i[GOAL] = goal
    if f[PARAMETERS + net.CLIMBS] > 0.0:
        force_change(hill, goal, reason)
    log_goal(f, i, reason)


def adjust_for_blocked(f: FloatArray, i: IntArray, hill: FloatArray, delay_is_over: bool) -> float:
    """Moves the goal with the workers that wait for tasks. Returns ms until the next adjustment; 0: none is due.
    (PortableThreadPool.Blocking; its look at the memory is left out: the limit is not known here.)"""
    i[PENDING] = NONE
    wanted = blocking_goal(f, i)
    goal = i[GOAL]
    if goal == wanted:
        return 0.0
    if goal > wanted:
        less = min(goal - wanted, i[NUM_ADDED])
        if less > 0:
            i[NUM_ADDED] -= less
            set_goal(f, i, hill, goal - less, COOPERATIVE_BLOCKING)
        return 0.0
    most = f[LIMIT_MAX]
    at_once = min(f[LIMIT_MIN] + f[PARAMETERS + net.THREADS_WITHOUT_DELAY], most)
    free = min(float(wanted), max(at_once, min(float(i[EXIST]), most)))
    if goal < free or delay_is_over:
        new = int(free) if goal < free else goal + 1
        i[NUM_ADDED] += new - goal
        set_goal(f, i, hill, new, COOPERATIVE_BLOCKING)
        if i[PROC] >= goal and i[REQUESTED] > 0:
            add_worker(f, i)
        if new >= wanted:
            return 0.0
    i[PENDING] = WITH_DELAY
    steps = 1.0 + math.floor((i[GOAL] - at_once) / f[PARAMETERS + net.THREADS_PER_STEP])
    return float(min(steps * f[PARAMETERS + net.DELAY_STEP_MS], f[PARAMETERS + net.MAX_DELAY_MS]))


def gate_wakes(f: FloatArray, i: IntArray, hill: FloatArray) -> None:
    """Wakes .NET's gate thread: for a look, for blocked tasks, or both."""
    now = tick(f, i)
    at = f[NOW]
    look = f[GATE_AT] <= at
    delayed = f[ADJUST_AT] < math.inf
    delay_is_over = f[ADJUST_AT] <= at
    if f[SIGNAL_AT] <= at:
        f[SIGNAL_AT] = math.inf
    if i[PENDING] == NONE:
        f[ADJUST_AT] = math.inf
    elif not (delayed and i[PENDING] == WITH_DELAY and not delay_is_over):
        delay = adjust_for_blocked(f, i, hill, delay_is_over)
        f[ADJUST_AT] = math.inf
        if delay > 0.0:
            f[ADJUST_AT] = at + delay * MS + lateness_ns(f, i)
    if look or now - f[GATE_TICK] >= GATE_PERIOD_MS:
        gate_looks(f, i, hill, now)


def gate_looks(f: FloatArray, i: IntArray, hill: FloatArray, now: float) -> None:
    """Takes one look, as the gate does twice a second. `now` is the tick."""
    f[GATE_TICK] = now
    if i[PENDING] == NONE:
        if f[PARAMETERS + net.READS_CPU] > 0.0:
            read_cpu(f, i)
        starved = STARVED_MS
        if f[CPU_PERCENT] >= BUSY_CPU:
            starved = i[GOAL] * BUSY_STARVED_MS_PER_THREAD
        if f[PARAMETERS + net.STARVATION] > 0.0 and i[REQUESTED] > 0 and now - f[LAST_DEQUEUE] > starved:
            if i[PROC] < f[LIMIT_MAX] and i[PROC] >= i[GOAL]:
                set_goal(f, i, hill, i[PROC] + 1, STARVATION)
                add_worker(f, i)
        if i[REQUESTED] <= 0:
            i[GATE_STATE] -= 1
            if i[GATE_STATE] == 0:
                f[GATE_AT] = math.inf
                return
    f[GATE_AT] = f[NOW] + GATE_PERIOD_MS * MS + lateness_ns(f, i)


def read_cpu(f: FloatArray, i: IntArray) -> None:
    """Reads the CPU time since the last look, percent of the processors: of this process alone on Linux."""
    used = f[CPU_MACHINE] if f[PARAMETERS + net.MACHINE_CPU] > 0.0 else f[CPU_USED]
    wall = f[NOW] - f[GATE_TIME]
    if wall > 0.0:
        share = (used - f[GATE_CPU]) / (wall * f[PARAMETERS + net.PROCESSORS])
        f[CPU_PERCENT] = float(math.floor(min(100.0, max(0.0, 100.0 * share))))
    f[GATE_CPU] = used
    f[GATE_TIME] = f[NOW]


def reference_gate_looks(f: FloatArray, i: IntArray) -> None:
    """Takes a look as the gate thread of a pool with one queue."""
    wait = reference.GATE_PERIOD_MS * MS
    rule = f[PARAMETERS + reference.RULE]
    extra = i[EXIST] - int(f[PARAMETERS + reference.PROCESSORS])
    short = i[QUEUED] > 0 and i[EXIST] < f[LIMIT_MAX]
    since = f[NOW] - f[LAST_CREATION]
    if rule == reference.ROTOR:
        if short:
            before = i[QUEUED_BEFORE]
            i[QUEUED_BEFORE] = i[QUEUED]
            if i[QUEUED] >= before and since > required_gap_ns(extra):
                start_thread(f, i)
    elif short and idle_threads(f, i) == 0:
        if rule == reference.NET11:
            start_thread(f, i)
        else:
            due = f[LAST_CREATION] + required_gap_ns(extra)
            if due > f[NOW]:
                wait = due - f[NOW]
            else:
                start_thread(f, i)
                wait = required_gap_ns(extra + 1)
    f[GATE_AT] = f[NOW] + wait


def oldest_times_out(f: FloatArray, i: IntArray, hill: FloatArray) -> None:
    """Ends the thread that has been idle longest, if the pool keeps no more than are left."""
    i[OLDEST] += 1
    if i[KIND] != NET:
        if i[EXIST] > f[LIMIT_MIN]:
            i[EXIST] -= 1
            log_threads(f, i)
        else:
            park(f, i, f[NOW])
        return
    if i[EXIST] <= f[PARAMETERS + net.THREADS_TO_KEEP]:
        park(f, i, f[NOW])
        return
    i[EXIST] -= 1
    log_threads(f, i)
    lowest = min(i[GOAL], blocking_goal(f, i))
    goal = max(lowest, min(i[EXIST], i[GOAL]))
    if goal != i[GOAL]:
        set_goal(f, i, hill, goal, THREAD_TIMED_OUT)


def set_limits(f: FloatArray, i: IntArray, least: float, most: float) -> None:
    """Sets the limits as .NET's SetMinThreads and SetMaxThreads do. A lower minimum does not lower the goal."""
    f[LIMIT_MIN] = least
    f[LIMIT_MAX] = most
    if i[KIND] != NET:
        return
    if i[GOAL] > most:
        i[GOAL] = int(most)
        log_goal(f, i, INITIALIZING)
    if i[NUM_BLOCKED] > 0:
        i[PENDING] = IMMEDIATELY
        signal_gate(f, i)
    elif i[GOAL] < least:
        i[GOAL] = int(least)
        log_goal(f, i, INITIALIZING)
        if i[REQUESTED] > 0:
            add_worker(f, i)
