"""Everything that a world is and that changes while it runs, in two arrays: numbers `f` and whole numbers `i`.

The first places hold single values. The others are stretches, each of which begins where its place in `i` says: item 7
ends at `f[i[ITEM_END] + 7]`. Two arrays and no object, because a compiled loop would have to count references to every
array of an object at each call.
"""

from __future__ import annotations

import math
from poolscope.base.arrays import FloatArray, IntArray
from poolscope.base.units import NS_PER_MS
from poolscope.replay.policies.net import JIFFY_MS

MS = NS_PER_MS
"""ns"""

# Places in `f`. Times are ns, ticks are ms of the coarse clock.
NOW = 0
VIRTUAL = 1  # virtual time: advances at the rate at which each running item is served
CORES = 2
COMPETITORS = 3
CPU_USED = 4  # ns of CPU time of all items so far
CPU_MACHINE = 5  # the same and that of the competitors
SWITCHES = 6
GATE_AT = 7  # next look of the gate thread; inf: it sleeps
ADJUST_AT = 8  # end of the gate's delay for blocked tasks; inf: none
SIGNAL_AT = 9  # when a signal reaches the gate; inf: none
GATE_TICK = 10  # tick of its last look
GATE_CPU = 11  # CPU time at its last look
GATE_TIME = 12  # when that was
CPU_PERCENT = 13  # its last reading
LAST_DEQUEUE = 14  # tick
PRIOR = 15  # tick of the last update of hill climbing
NEXT = 16  # tick from which the next may come
SAMPLE_START = 17
PHASE = 18  # of the coarse clock
LAST_CREATION = 19
LIMIT_MIN = 20
LIMIT_MAX = 21
IDLE_TIME = 22  # ns after which an idle thread ends
PARAMETERS = 23  # from here on the policy's, by its kind's places
FLOATS = PARAMETERS + 16

# Places in `i`.
KIND = 0
HOLDING = 1
RUNNING = 2  # sizes of the heaps
BLOCKED = 3
QUEUED = 4
STARTING = 5
UNFINISHED = 6
FREE = 7  # workers whose item has just ended or given its thread back
RESUMED = 8  # items whose wait is over and that have not gone on yet
RESUMED_FIRST = 9
PROC = 10  # threads that work or are on their way to; ALLOWED: that items hold
EXIST = 11
GOAL = 12
REQUESTED = 13  # requests for a worker that no worker has taken
OUTSTANDING = 14  # of these, the queue's own: it makes no more than a few at once
NUM_BLOCKED = 15  # workers that wait for a task
NUM_ADDED = 16  # threads of the goal that were added for them
PENDING = 17
GATE_STATE = 18  # 2: looks; 1: last look before it sleeps; 0: sleeps
COMPLETIONS = 19  # since the last update of hill climbing
OLDEST = 20  # idle threads are `parked[OLDEST:NEWEST]`
NEWEST = 21
DRAWN = 22
THREAD_LOG = 23
GOAL_LOG = 24
WAKING = 25  # idle threads that have been signalled
QUEUED_BEFORE = 26  # at the gate's last look
PEAK = 27
ENV_STEP = 28  # the step of the world that holds now
ENV_STEPS = 29
ARRIVED = 30  # of those that arrive by themselves
ARRIVALS = 31
# Lengths of stretches.
RESUMED_ROOM = 32
PARKED_ROOM = 33
THREAD_ROOM = 34
GOAL_ROOM = 35
UNIFORM_COUNT = 36
# Where stretches of `f` begin. The world over time:
ENV_TIME = 37
ENV_CORES = 38
ENV_COMPETITORS = 39
ENV_MIN = 40
ENV_MAX = 41
UNIFORMS = 42
ARRIVAL_TIME = 43  # the items that arrive by themselves, in order
# Per item and per operation.
ITEM_RANK = 44  # and behind the items' those of marks: of whoever fires them
ITEM_ARRIVED = 45
ITEM_START = 46
ITEM_END = 47
ITEM_ANSWERED = 48  # when its answer comes; inf: not reported yet; HANDED_ON; 0: it waits for none
ITEM_COMING = 49  # when it arrives by itself, if not sooner; inf: not reported
MARK_ANSWERED = 50  # the same of a mark's answer as of an item's
OP_VALUE = 51
# Heaps, idle threads, logs.
RUNNING_KEYS = 52  # virtual time at which the CPU stretch ends
BLOCKED_KEYS = 53  # when the blocked stretch ends
QUEUED_KEYS = 54  # rank
STARTING_KEYS = 55  # when the thread runs
PARKED_SINCE = 56  # the oldest first
THREAD_TIMES = 57
GOAL_TIMES = 58
# Where stretches of `i` begin.
ARRIVAL_ITEM = 59
ITEM_FIRST = 60  # its first operation
ITEM_POSITION = 61  # its next one
ITEM_NEXT = 62  # who is behind it in a line; -1: nobody. Behind the items the marks
ITEM_IN_TASK_WAIT = 63  # 1: it counts in NUM_BLOCKED
OPERATION = 64  # its kind in the lowest KIND_BITS, its target above them
OBJECT_TAIL = 65  # the last of those behind OBJECT_HEAD
RESUMED_RING = 66
RUNNING_ITEMS = 67
BLOCKED_ITEMS = 68
QUEUED_ITEMS = 69
STARTING_NEW = 70  # 1: a new thread, 0: a signalled one
MARK_FIRED = 71
MARK_LINE = 72  # who waits, newest first
LOCK_HELD = 73
LOCK_HEAD = 74  # who has waited longest; -1: nobody
LOCK_TAIL = 75
THREAD_COUNTS = 76
GOAL_VALUES = 77
GOAL_REASONS = 78
ITEMS = 79  # how many; from here on, numbers among the blocked and the queued are marks
ITEM_STAND_IN = 80  # of those that come by themselves: NOT, READY or QUEUED_FIRST
FIRST_COME = 81  # the queue's order is that of the arrivals; else it is the ranks'
ITEM_OBJECT = 82  # what the item works off; -1: nothing that others work off, too
OBJECT_CARRIER = 83  # who waits for a thread to work it off; -1: nobody
OBJECT_HEAD = 84  # who has come since then; -1: nobody
STAND_INS = 85  # what is handed on late has stand-ins
INTEGERS = 86

# An operation is one number: a workload has more of them than of anything else.
KIND_BITS = 5
KIND_MASK = (1 << KIND_BITS) - 1

# Values of PENDING.
NONE = 0
IMMEDIATELY = 1
WITH_DELAY = 2

# Among the objects.
ENGINE = 0  # the socket engine, which stand-ins stand in for

# Values of ITEM_STAND_IN.
NOT = 0
READY = 1  # whoever handed it on would have to run once more by then
QUEUED_FIRST = 2  # and waits for a thread

# Value of ITEM_ANSWERED.
HANDED_ON = -1.0  # another item has brought or fired it, and its answer has not come


def draw(f: FloatArray, i: IntArray) -> float:
    """Returns the next random number, uniform in [0, 1)."""
    u = f[i[UNIFORMS] + i[DRAWN] % i[UNIFORM_COUNT]]
    i[DRAWN] += 1
    return float(u)


def tick(f: FloatArray, i: IntArray) -> float:
    """Returns what the pool's clock shows: ms, in steps of a jiffy."""
    jiffy = f[PARAMETERS + JIFFY_MS]
    return float(math.floor(math.floor((f[NOW] + f[PHASE]) / (jiffy * MS)) * jiffy))


def log_threads(f: FloatArray, i: IntArray) -> None:
    """Notes that the number of threads has changed."""
    i[PEAK] = max(i[PEAK], i[EXIST])
    n = i[THREAD_LOG]
    if n > 0 and f[i[THREAD_TIMES] + n - 1] == f[NOW]:
        n -= 1
    elif n == i[THREAD_ROOM]:  # coarser from here on, instead of without a bound
        n = n // 2
        for k in range(n):
            f[i[THREAD_TIMES] + k] = f[i[THREAD_TIMES] + 2 * k]
            i[i[THREAD_COUNTS] + k] = i[i[THREAD_COUNTS] + 2 * k]
    f[i[THREAD_TIMES] + n] = f[NOW]
    i[i[THREAD_COUNTS] + n] = i[EXIST]
    i[THREAD_LOG] = n + 1


def log_goal(f: FloatArray, i: IntArray, reason: int) -> None:
    """Notes a new goal."""
    n = i[GOAL_LOG]
    if n == i[GOAL_ROOM]:
        n = n // 2
        for k in range(n):
            f[i[GOAL_TIMES] + k] = f[i[GOAL_TIMES] + 2 * k]
            i[i[GOAL_VALUES] + k] = i[i[GOAL_VALUES] + 2 * k]
            i[i[GOAL_REASONS] + k] = i[i[GOAL_REASONS] + 2 * k]
    f[i[GOAL_TIMES] + n] = f[NOW]
    i[i[GOAL_VALUES] + n] = i[GOAL]
    i[i[GOAL_REASONS] + n] = reason
    i[GOAL_LOG] = n + 1
