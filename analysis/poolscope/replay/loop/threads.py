"""How a pool gets workers: signals to idle threads, new threads, requests; how workers park, and what they use of the
cores."""

from __future__ import annotations

from heapq import heappush
from math import inf

from poolscope.replay.loop.state import MS, State
from poolscope.replay.policies.policy import FIXED, INSTANT, NET, NET11, NEW_THREAD_NS, ROTOR
from poolscope.replay.policies.reference import GATE_PERIOD_MS as REFERENCE_GATE_PERIOD_MS

WAKE_NS = 50e3
"""From the signal to the first instruction of a parked thread: the median, measured on Linux 6.18 with .NET 10."""
FIRST_THREAD_NS = 3e6
"""The extra time for the first worker of a process, whose code is not compiled yet: the first items start 3 to 5 ms
after they were queued. Measured likewise."""
SPREAD = 0.3
"""Both times are drawn from this share less to this share more. One in ten parked threads took 1.4 times the median."""
SPIN_NS = 90e3
"""How long an idle worker of .NET spins before it parks. A request during that time needs no wake-up. Measured
likewise."""
SLICE_NS = 4e6
"""The time that a thread may run before the kernel considers another one: 2.8 to 4 ms in Linux 6's EEVDF with a tick of
250 Hz.

A new thread has no credit to preempt with: if all cores are busy, it waits for some part of a round, in which every
other thread has its slice. A thread that wakes up has credit and does not wait (beside two hogs on two cores it ran
after 0.07 ms).
"""
GATE_PERIOD_MS = 500.0
"""dotnet/runtime, PortableThreadPool.GateThread."""
GATE_LATE_MS = 0.2
"""The gate wakes up late by this to GATE_LATER_MS, measured on Linux 6.18."""
GATE_LATER_MS = 0.6
GATE_RARELY_LATE = 0.1
"""The share of its wake-ups that are late by up to a slice more.

With it, sleeping items get a thread after 0.5 s once in nine times, and otherwise after 1.0 s. Measured on an idle
machine: 3 of 20 times; on one that others kept busy: 44 of 141.
"""


def cores_are_full(s: State) -> bool:
    """Returns whether a thread that becomes runnable now finds every core taken."""
    return len(s.running) + s.competitors >= s.cores


def lateness_ns(s: State) -> float:
    """Draws the delay of the gate's next wake-up."""
    late = GATE_LATE_MS + (GATE_LATER_MS - GATE_LATE_MS) * s.draw()
    if s.draw() < GATE_RARELY_LATE:
        late += s.draw() * SLICE_NS / MS
    return late * MS


def spread(s: State, ns: float) -> float:
    """Draws a time of about this length."""
    return ns * (1.0 - SPREAD + 2.0 * SPREAD * s.draw())


def start_thread(s: State) -> None:
    """Creates a thread, which joins the starting ones."""
    of_net = s.given.kind == NET
    at = s.now + spread(s, s.net.new_thread_ns if of_net else NEW_THREAD_NS)
    if of_net and s.peak == 0:
        at += FIRST_THREAD_NS
    s.threads += 1
    s.last_creation = s.now
    s.log_threads()
    if cores_are_full(s):
        at += s.draw() * SLICE_NS * (len(s.running) + s.competitors) / max(s.cores, 1.0)
    heappush(s.starting, (at, 1))


def wake_thread(s: State, parked_at: float) -> None:
    """Signals an idle thread, which joins the starting ones."""
    at = s.now
    if at - parked_at >= SPIN_NS:
        at += spread(s, WAKE_NS)
        s.switches += 1.0  # it had left its core when it parked
    heappush(s.starting, (at, 0))


def add_worker(s: State) -> None:
    """Performs MaybeAddWorkingWorker: puts one more thread to work, if the goal has room for it."""
    if s.working >= s.goal:
        return
    s.working += 1
    if s.parked:
        wake_thread(s, s.parked.pop())  # the one that parked last
    else:
        start_thread(s)


def cpu_read(s: State) -> float:
    """Returns the CPU time that the gate reads, on Linux that of this process alone."""
    return s.cpu_machine if s.net.machine_cpu else s.cpu_used


def ensure_gate(s: State) -> None:
    """Makes the gate thread check from now on. If it slept, its phase begins here."""
    if s.gate_state == 0:
        s.gate_tick = s.tick()
        s.gate_cpu = cpu_read(s)
        s.gate_time = s.now
        s.gate_at = s.now + GATE_PERIOD_MS * MS + lateness_ns(s)
    s.gate_state = 2


def ensure_requested(s: State) -> None:
    """Requests a worker, unless the queue already has enough requests."""
    if s.outstanding >= s.net.requests_at_once:
        return
    s.outstanding += 1
    s.requested += 1
    add_worker(s)
    ensure_gate(s)


def required_gap_ns(extra: int) -> float:
    """Returns the time that must have passed since the last creation: 500 x 1.1^extra ms, at most a day (SSCLI
    win32threadpool.cpp). `extra` counts threads beyond the processors."""
    gap = GATE_PERIOD_MS
    for _ in range(min(extra, 127)):
        gap *= 1.1
    return min(gap, 86_400_000.0) * MS


def idle_threads(s: State) -> int:
    """Counts the idle threads like a pool with one queue: signalled threads are idle until they run."""
    return len(s.parked) + s.waking


def creates_at_enqueue(s: State) -> bool:
    """Returns whether a pool with one queue creates a thread for an item that has just been queued."""
    growth, idle = s.reference.growth, idle_threads(s)
    if idle >= len(s.queued) or growth == FIXED:
        return False
    if growth == INSTANT:
        return s.threads < s.limit_max
    if growth == ROTOR:
        return s.threads - idle < s.limit_min and s.threads < s.limit_max
    return s.threads < s.limit_min


def signal_one(s: State) -> None:
    """Wakes the thread that has been idle longest, or creates one, for a new item in a pool with one queue."""
    if s.parked:
        wake_thread(s, s.parked.popleft() - SPIN_NS)  # these pools do not spin
        s.waking += 1
    if creates_at_enqueue(s):
        start_thread(s)
    if s.gate_at == inf and s.reference.growth >= NET11:
        s.gate_at = s.now + REFERENCE_GATE_PERIOD_MS * MS


def count_cpu(s: State, rate: float, elapsed: float) -> None:
    """Counts the core time that the items and their competitors use up to the next event."""
    if elapsed <= 0.0:
        return
    runnable = len(s.running) + s.competitors
    s.cpu_machine += min(s.cores, runnable) * elapsed
    used = len(s.running) * rate * elapsed
    s.cpu_used += used
    if runnable > s.cores:
        # Competitors are means: less than one waiting thread is one that waits for a part of the time.
        s.switches += used / SLICE_NS * min(1.0, runnable - s.cores)
