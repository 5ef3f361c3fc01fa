"""Periodic work of a pool: the gate thread's checks, the exit of idle threads, new limits."""

from __future__ import annotations

import math

from poolscope.replay.hill_climbing import COOPERATIVE_BLOCKING, INITIALIZING, STARVATION, THREAD_TIMED_OUT
from poolscope.replay.loop.items import blocking_goal, signal_gate
from poolscope.replay.loop.state import IMMEDIATELY, MS, NONE, WITH_DELAY, State
from poolscope.replay.loop.threads import (
    GATE_PERIOD_MS,
    add_worker,
    cpu_read,
    idle_threads,
    lateness_ns,
    required_gap_ns,
    start_thread,
)
from poolscope.replay.policies.policy import NET, NET11, ROTOR
from poolscope.replay.policies.reference import GATE_PERIOD_MS as REFERENCE_GATE_PERIOD_MS

BUSY_CPU = 80.0
"""The percentage from which a starving pool waits as many seconds as it has threads before it adds one. Below it, half
a second (dotnet/runtime, PortableThreadPool.GateThread)."""
STARVED_MS = 500.0
BUSY_STARVED_MS_PER_THREAD = 1000.0


def set_goal(s: State, goal: int, reason: int) -> None:
    """Changes the goal for a reason other than hill climbing."""
    s.goal = goal
    if s.net.climbs:
        s.climbing.force_change(goal, reason)
    s.log_goal(reason)


def adjust_for_blocked(s: State, delay_is_over: bool) -> float:
    """Moves the goal with the workers that wait for tasks. Returns ms until the next adjustment, 0 if none is due.

    (PortableThreadPool.Blocking. Its check of the memory is left out, because the limit is unknown here.)
    """
    s.pending = NONE
    wanted, goal = blocking_goal(s), s.goal
    if goal == wanted:
        return 0.0
    if goal > wanted:
        less = min(goal - wanted, s.added)
        if less > 0:
            s.added -= less
            set_goal(s, goal - less, COOPERATIVE_BLOCKING)
        return 0.0
    at_once = min(s.limit_min + s.net.threads_without_delay, s.limit_max)
    free = min(float(wanted), max(at_once, min(float(s.threads), s.limit_max)))
    if goal < free or delay_is_over:
        new = int(free) if goal < free else goal + 1
        s.added += new - goal
        set_goal(s, new, COOPERATIVE_BLOCKING)
        if s.working >= goal and s.requested > 0:
            add_worker(s)
        if new >= wanted:
            return 0.0
    s.pending = WITH_DELAY
    steps = 1.0 + math.floor((s.goal - at_once) / s.net.threads_per_step)
    return min(steps * s.net.delay_step_ms, s.net.max_delay_ms)


def gate_wakes(s: State) -> None:
    """Wakes .NET's gate thread: for a check, for blocked tasks, or both."""
    now = s.tick()
    look = s.gate_at <= s.now
    delayed = s.adjust_at < math.inf
    delay_is_over = s.adjust_at <= s.now
    if s.signal_at <= s.now:
        s.signal_at = math.inf
    if s.pending == NONE:
        s.adjust_at = math.inf
    elif not (delayed and s.pending == WITH_DELAY and not delay_is_over):
        delay = adjust_for_blocked(s, delay_is_over)
        s.adjust_at = math.inf
        if delay > 0.0:
            s.adjust_at = s.now + delay * MS + lateness_ns(s)
    if look or now - s.gate_tick >= GATE_PERIOD_MS:
        gate_looks(s, now)


def gate_looks(s: State, now: float) -> None:
    """Makes one check, as the gate does twice a second. `now` is the tick."""
    s.gate_tick = now
    if s.pending == NONE:
        if s.net.reads_cpu:
            read_cpu(s)
        starved = STARVED_MS
        if s.cpu_percent >= BUSY_CPU:
            starved = s.goal * BUSY_STARVED_MS_PER_THREAD
        if s.net.starvation and s.requested > 0 and now - s.last_dequeue > starved:
            if s.working < s.limit_max and s.working >= s.goal:
                set_goal(s, s.working + 1, STARVATION)
                add_worker(s)
        if s.requested <= 0:
            s.gate_state -= 1
            if s.gate_state == 0:
                s.gate_at = math.inf
                return
    s.gate_at = s.now + GATE_PERIOD_MS * MS + lateness_ns(s)


def read_cpu(s: State) -> None:
    """Reads the CPU time since the last check, percent of the processors."""
    used = cpu_read(s)
    wall = s.now - s.gate_time
    if wall > 0.0:
        share = (used - s.gate_cpu) / (wall * s.net.processors)
        s.cpu_percent = float(math.floor(min(100.0, max(0.0, 100.0 * share))))
    s.gate_cpu = used
    s.gate_time = s.now


def reference_gate_looks(s: State) -> None:
    """Makes a check as the gate thread of a pool with one queue."""
    wait = REFERENCE_GATE_PERIOD_MS * MS
    growth = s.reference.growth
    extra = s.threads - s.reference.processors
    short = bool(s.queued) and s.threads < s.limit_max
    since = s.now - s.last_creation
    if growth == ROTOR:
        if short:
            before, s.queued_before = s.queued_before, len(s.queued)
            if len(s.queued) >= before and since > required_gap_ns(extra):
                start_thread(s)
    elif short and idle_threads(s) == 0:
        if growth == NET11:
            start_thread(s)
        else:
            due = s.last_creation + required_gap_ns(extra)
            if due > s.now:
                wait = due - s.now
            else:
                start_thread(s)
                wait = required_gap_ns(extra + 1)
    s.gate_at = s.now + wait


def oldest_times_out(s: State) -> None:
    """Ends the thread that has been idle longest, unless the pool keeps all that are left."""
    s.parked.popleft()
    kept = s.net.threads_to_keep if s.given.kind == NET else s.limit_min
    if s.threads <= kept:
        s.parked.append(s.now)
        return
    s.threads -= 1
    s.log_threads()
    if s.given.kind == NET:
        lowest = min(s.goal, blocking_goal(s))
        goal = max(lowest, min(s.threads, s.goal))
        if goal != s.goal:
            set_goal(s, goal, THREAD_TIMED_OUT)


def set_limits(s: State, least: float, most: float) -> None:
    """Sets the limits like .NET's SetMinThreads and SetMaxThreads. A lower minimum does not lower the goal."""
    s.limit_min = least
    s.limit_max = most
    if s.given.kind != NET:
        return
    if s.goal > most:
        s.goal = int(most)
        s.log_goal(INITIALIZING)
    if s.blocked_workers > 0:
        s.pending = IMMEDIATELY
        signal_gate(s)
    elif s.goal < least:
        s.goal = int(least)
        s.log_goal(INITIALIZING)
        if s.requested > 0:
            add_worker(s)
