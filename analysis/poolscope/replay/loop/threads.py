"""How a pool comes by workers: signals to idle threads, new threads, requests; and how workers park."""

from __future__ import annotations

import math

from poolscope.base.arrays import FloatArray, IntArray
from poolscope.replay.loop.heaps import push
from poolscope.replay.loop.state import (
    COMPETITORS,
    CORES,
    CPU_MACHINE,
    CPU_USED,
    EXIST,
    GATE_AT,
    GATE_CPU,
    GATE_STATE,
    GATE_TICK,
    GATE_TIME,
    GOAL,
    KIND,
    LAST_CREATION,
    LIMIT_MAX,
    LIMIT_MIN,
    MS,
    NEWEST,
    NOW,
    OLDEST,
    OUTSTANDING,
    PARAMETERS,
    PARKED_ROOM,
    PARKED_SINCE,
    PEAK,
    PROC,
    QUEUED,
    REQUESTED,
    RUNNING,
    STARTING,
    STARTING_KEYS,
    STARTING_NEW,
    SWITCHES,
    WAKING,
    draw,
    log_threads,
    tick,
)
from poolscope.replay.policies import net, reference
from poolscope.replay.policies.policy import NET

WAKE_NS = 50e3
"""From the signal to the first instruction of a parked thread; median, measured on Linux 6.18 with .NET 10."""
FIRST_THREAD_NS = 3e6
"""How much longer that takes for the first worker of a process, whose code is not compiled yet: first items start 3 to 5
ms after they were queued. Likewise."""
SPREAD = 0.3
"""Both are drawn from this share less to this share more. Of parked threads one in ten took 1.4 times the median."""
SPIN_NS = 90e3
"""How long an idle worker of .NET spins before it parks; a request that comes meanwhile needs no wake-up. Likewise."""
SLICE_NS = 4e6
"""What a thread may run before the kernel looks for another one: 2.8 to 4 ms by Linux 6's EEVDF with a tick of 250 Hz. A
new thread has no credit to preempt with: where all cores are busy it waits for some part of a round, in which every other
thread has its slice. A thread that wakes up has credit, and does not wait (beside two hogs on two cores it ran after 0.07
ms)."""
GATE_PERIOD_MS = 500.0
"""dotnet/runtime, PortableThreadPool.GateThread."""
GATE_LATE_MS = 0.2
"""The gate wakes up late by this to GATE_LATER_MS; measured on Linux 6.18."""
GATE_LATER_MS = 0.6
GATE_RARELY_LATE = 0.1
"""The share of its wake-ups that are late by up to a slice more. With it, sleeping items get a thread after 0.5 s once
in nine times and after 1.0 s else. Measured on an idle machine: 3 of 20 times; on one that others kept busy: 44 of 141."""


def cores_are_full(f: FloatArray, i: IntArray) -> bool:
    """Returns whether a thread that becomes runnable now finds every core taken."""
    return bool(i[RUNNING] + f[COMPETITORS] >= f[CORES])


def lateness_ns(f: FloatArray, i: IntArray) -> float:
    """Draws by how much the gate's next wake-up is late."""
    late = GATE_LATE_MS + (GATE_LATER_MS - GATE_LATE_MS) * draw(f, i)
    if draw(f, i) < GATE_RARELY_LATE:
        late += draw(f, i) * SLICE_NS / MS
    return late * MS


def spread(f: FloatArray, i: IntArray, ns: float) -> float:
    """Returns a time about this long."""
    return ns * (1.0 - SPREAD + 2.0 * SPREAD * draw(f, i))


def start_thread(f: FloatArray, i: IntArray) -> None:
    """Creates a thread; it appears among the starting ones."""
    takes = f[PARAMETERS + net.NEW_THREAD] if i[KIND] == NET else net.NEW_THREAD_NS
    at = f[NOW] + spread(f, i, takes)
    if i[KIND] == NET and i[PEAK] == 0:
        at += FIRST_THREAD_NS
    i[EXIST] += 1
    f[LAST_CREATION] = f[NOW]
    log_threads(f, i)
    if cores_are_full(f, i):
        at += draw(f, i) * SLICE_NS * (i[RUNNING] + f[COMPETITORS]) / max(f[CORES], 1.0)
    push(f, i, i[STARTING_KEYS], i[STARTING_NEW], i[STARTING], at, 1)
    i[STARTING] += 1


def wake_thread(f: FloatArray, i: IntArray, parked_at: float) -> None:
    """Signals an idle thread; it appears among the starting ones."""
    at = f[NOW]
    if at - parked_at >= SPIN_NS:
        at += spread(f, i, WAKE_NS)
        f[SWITCHES] += 1.0  # it had left its core when it parked
    push(f, i, i[STARTING_KEYS], i[STARTING_NEW], i[STARTING], at, 0)
    i[STARTING] += 1


def park(f: FloatArray, i: IntArray, since: float) -> None:
    """Adds an idle thread."""
    if i[NEWEST] == i[PARKED_ROOM]:
        count = i[NEWEST] - i[OLDEST]
        for k in range(count):
            f[i[PARKED_SINCE] + k] = f[i[PARKED_SINCE] + i[OLDEST] + k]
        i[OLDEST] = 0
        i[NEWEST] = count
    f[i[PARKED_SINCE] + i[NEWEST]] = since
    i[NEWEST] += 1


def add_worker(f: FloatArray, i: IntArray) -> None:
    """Does MaybeAddWorkingWorker: puts one more thread to work, if the goal has room for it."""
    if i[PROC] >= i[GOAL]:
        return
    i[PROC] += 1
    if i[NEWEST] > i[OLDEST]:
        i[NEWEST] -= 1  # the one that parked last
        wake_thread(f, i, f[i[PARKED_SINCE] + i[NEWEST]])
    else:
        start_thread(f, i)


def ensure_gate(f: FloatArray, i: IntArray) -> None:
    """Makes the gate thread look from now on. If it slept, its phase begins here."""
    if i[GATE_STATE] == 0:
        f[GATE_TICK] = tick(f, i)
        f[GATE_CPU] = f[CPU_MACHINE] if f[PARAMETERS + net.MACHINE_CPU] > 0.0 else f[CPU_USED]
        f[GATE_TIME] = f[NOW]
        f[GATE_AT] = f[NOW] + GATE_PERIOD_MS * MS + lateness_ns(f, i)
    i[GATE_STATE] = 2


def ensure_requested(f: FloatArray, i: IntArray) -> None:
    """Asks for a worker, unless the queue already does."""
    if i[OUTSTANDING] >= f[PARAMETERS + net.REQUESTS_AT_ONCE]:
        return
    i[OUTSTANDING] += 1
    i[REQUESTED] += 1
    add_worker(f, i)
    ensure_gate(f, i)


def required_gap_ns(extra: int) -> float:
    """Returns the time that must have passed since the last creation: 500 x 1.1^extra ms, at most a day (SSCLI
    win32threadpool.cpp). `extra` counts threads beyond the processors."""
    gap = GATE_PERIOD_MS
    for _ in range(min(extra, 127)):
        gap *= 1.1
    return min(gap, 86_400_000.0) * MS


def idle_threads(f: FloatArray, i: IntArray) -> int:
    """Counts the idle threads as a pool with one queue does: signalled threads are idle until they run."""
    return int(i[NEWEST] - i[OLDEST] + i[WAKING])


def creates_at_enqueue(f: FloatArray, i: IntArray) -> bool:
    """Returns whether a pool with one queue creates a thread for an item that has just been queued."""
    rule = f[PARAMETERS + reference.RULE]
    idle = idle_threads(f, i)
    if idle >= i[QUEUED] or rule == reference.FIXED:
        return False
    if rule == reference.INSTANT:
        return bool(i[EXIST] < f[LIMIT_MAX])
    if rule == reference.ROTOR:
        return bool(i[EXIST] - idle < f[LIMIT_MIN] and i[EXIST] < f[LIMIT_MAX])
    return bool(i[EXIST] < f[LIMIT_MIN])


def signal_one(f: FloatArray, i: IntArray) -> None:
    """Wakes the thread that has been idle longest, or creates one, for a new item in a pool with one queue."""
    if i[NEWEST] > i[OLDEST]:
        wake_thread(f, i, f[i[PARKED_SINCE] + i[OLDEST]] - SPIN_NS)  # these pools do not spin
        i[OLDEST] += 1
        i[WAKING] += 1
    if creates_at_enqueue(f, i):
        start_thread(f, i)
    if f[GATE_AT] == math.inf and f[PARAMETERS + reference.RULE] >= reference.NET11:
        f[GATE_AT] = f[NOW] + reference.GATE_PERIOD_MS * MS
