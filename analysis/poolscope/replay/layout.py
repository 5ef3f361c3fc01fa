"""A workload and a world as the loop's two arrays, and the outcome read from them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from poolscope.base.arrays import AnyArray, FloatArray, IntArray
from poolscope.base.series import Steps
from poolscope.replay.loop import state as at
from poolscope.replay.simulated import GoalChanges, Simulated
from poolscope.replay.policies.net import WARM_THREADS
from poolscope.replay.policies.policy import ALLOWED, NET, REFERENCE
from poolscope.replay.workload import Workload
from poolscope.replay.world import World

UNIFORMS = 8192
"""Random numbers drawn beforehand, so that compiled and plain loop have the same; used again from the first one after
the last."""
MOST_LOGGED = 65_536
"""Changes of the goal that are noted before the log becomes coarser; of threads this many beyond two for each item."""


class _Stretches:
    """One array that is being put together."""

    def __init__(self, places: int) -> None:
        self.size = places
        self.parts: list[tuple[int, int, npt.ArrayLike]] = []

    def add(self, beginnings: dict[int, int], place: int, values: npt.ArrayLike, length: int | None = None) -> None:
        """Adds values, or one value `length` times; `beginnings` notes for the place where they begin."""
        count = len(np.asarray(values)) if length is None else length
        beginnings[place] = self.size
        self.parts.append((self.size, count, values))
        self.size += count

    def build(self, kind: type) -> AnyArray:
        array: AnyArray = np.zeros(self.size, dtype=kind)
        for begin, count, values in self.parts:
            if not (np.isscalar(values) and values == 0):  # fresh pages are zero, and stay untouched
                array[begin : begin + count] = values
        return array


def lay_out(workload: Workload, world: World) -> tuple[FloatArray, IntArray]:
    """Returns the arrays `f` and `i` of `loop.state`."""
    policy, program, items = world.policy, workload.program, workload.count
    limit_time, least, most = policy.limits()
    time = np.unique(np.concatenate((world.cores.time, world.competitors.time, limit_time)))
    arrival = np.asarray(workload.arrival, dtype=np.float64)
    order = np.argsort(arrival, kind="stable")
    order = order[np.isfinite(arrival[order])]
    parameters = policy.parameters()
    threads = int(most.max()) if policy.kind in (NET, REFERENCE) else 0
    if policy.kind == NET:
        threads = max(threads, int(parameters[WARM_THREADS]))
    starting = max(items, threads) + 16
    parked = 2 * threads + 16
    logged = items + 2 if policy.kind == ALLOWED else 2 * items + 1024
    goals = min(MOST_LOGGED, 1024 + 2 * items) if policy.kind == NET else 1
    uniforms = np.random.Generator(np.random.PCG64(world.seed)).random(UNIFORMS)

    begin: dict[int, int] = {}
    f = _Stretches(at.FLOATS)
    f.add(begin, at.ENV_TIME, time)
    f.add(begin, at.ENV_CORES, world.cores.at(time))
    f.add(begin, at.ENV_COMPETITORS, world.competitors.at(time))
    f.add(begin, at.ENV_MIN, Steps(limit_time, least).at(time))
    f.add(begin, at.ENV_MAX, Steps(limit_time, most).at(time))
    f.add(begin, at.UNIFORMS, uniforms)
    f.add(begin, at.ARRIVAL_TIME, arrival[order])
    rank = np.concatenate((workload.rank, workload.mark_rank))
    f.add(begin, at.ITEM_RANK, rank / (8 * items) if workload.first_come else rank)
    for place in (at.ITEM_ARRIVED, at.ITEM_START, at.ITEM_END):
        f.add(begin, place, np.inf, items)
    f.add(begin, at.ITEM_ANSWERED, np.where(workload.awaits_answer, np.inf, 0.0))
    f.add(begin, at.ITEM_COMING, np.inf, items)
    f.add(begin, at.MARK_ANSWERED, np.where(workload.mark_awaits_answer, np.inf, 0.0))
    f.add(begin, at.OP_VALUE, program.value)
    f.add(begin, at.RUNNING_KEYS, 0, items + 1)
    queued = 2 * items + workload.marks + 1  # each item and its stand-in, and those of marks
    f.add(begin, at.QUEUED_KEYS, 0, queued)
    blocked = 2 * items + workload.marks + 1  # blocked ones, those that come by themselves, and marks
    f.add(begin, at.BLOCKED_KEYS, 0, blocked)
    f.add(begin, at.STARTING_KEYS, 0, starting)
    f.add(begin, at.PARKED_SINCE, 0, parked)
    f.add(begin, at.THREAD_TIMES, 0, logged)
    f.add(begin, at.GOAL_TIMES, 0, goals)

    i = _Stretches(at.INTEGERS)
    i.add(begin, at.ARRIVAL_ITEM, order)
    i.add(begin, at.ITEM_FIRST, program.first)
    i.add(begin, at.ITEM_POSITION, program.first[:-1])
    i.add(begin, at.ITEM_NEXT, -1, items + workload.marks)
    i.add(begin, at.ITEM_IN_TASK_WAIT, 0, items)
    i.add(begin, at.ITEM_STAND_IN, 0, items)
    i.add(begin, at.ITEM_OBJECT, -1 if workload.queue is None else workload.queue, items)
    for place in (at.OBJECT_CARRIER, at.OBJECT_HEAD, at.OBJECT_TAIL):
        i.add(begin, place, -1, 1 + (0 if workload.queue is None else int(workload.queue.max(initial=0))))
    i.add(begin, at.OPERATION, 0, len(program.op))
    for place in (at.RESUMED_RING, at.RUNNING_ITEMS):
        i.add(begin, place, 0, items + 1)
    i.add(begin, at.QUEUED_ITEMS, 0, queued)
    i.add(begin, at.BLOCKED_ITEMS, 0, blocked)
    i.add(begin, at.STARTING_NEW, 0, starting)
    i.add(begin, at.MARK_FIRED, 0, workload.marks)
    i.add(begin, at.MARK_LINE, -1, workload.marks)
    i.add(begin, at.LOCK_HELD, 0, workload.locks)
    i.add(begin, at.LOCK_HEAD, -1, workload.locks)
    i.add(begin, at.LOCK_TAIL, -1, workload.locks)
    i.add(begin, at.THREAD_COUNTS, 0, logged)
    i.add(begin, at.GOAL_VALUES, 0, goals)
    i.add(begin, at.GOAL_REASONS, 0, goals)

    numbers, integers = f.build(np.float64), i.build(np.int64)
    for place, first in begin.items():
        integers[place] = first
    operations = integers[begin[at.OPERATION] :][: len(program.op)]
    np.left_shift(program.target, at.KIND_BITS, out=operations)
    operations |= program.op
    numbers[at.PARAMETERS : at.PARAMETERS + len(parameters)] = parameters
    numbers[at.NOW] = min(time[0], arrival[order[0]]) if len(order) else time[0]
    integers[at.KIND] = policy.kind
    integers[at.HOLDING] = policy.holding
    integers[at.UNFINISHED] = items
    integers[at.ITEMS] = items
    integers[at.FIRST_COME] = workload.first_come
    integers[at.STAND_INS] = workload.stand_ins
    integers[at.ENV_STEPS] = len(time)
    integers[at.ARRIVALS] = len(order)
    integers[at.RESUMED_ROOM] = items + 1
    integers[at.PARKED_ROOM] = parked
    integers[at.THREAD_ROOM] = logged
    integers[at.GOAL_ROOM] = goals
    integers[at.UNIFORM_COUNT] = UNIFORMS
    return numbers, integers


def read_outcome(f: FloatArray, i: IntArray, items: int) -> Simulated:
    """Returns the result of a finished simulation."""

    def numbers(place: int, count: int) -> FloatArray:
        return f[i[place] : i[place] + count].copy()

    def integers(place: int, count: int) -> IntArray:
        return i[i[place] : i[place] + count].copy()

    changes, goals = int(i[at.THREAD_LOG]), int(i[at.GOAL_LOG])
    count = integers(at.THREAD_COUNTS, changes).astype(np.float64)
    count[np.argmax(count)] = i[at.PEAK]  # the peak survives where the log became coarser
    return Simulated(
        arrival=numbers(at.ITEM_ARRIVED, items),
        start=numbers(at.ITEM_START, items),
        end=numbers(at.ITEM_END, items),
        threads=Steps(numbers(at.THREAD_TIMES, changes), count),
        goal_changes=GoalChanges(
            numbers(at.GOAL_TIMES, goals), integers(at.GOAL_VALUES, goals), integers(at.GOAL_REASONS, goals)
        ),
        context_switches=float(f[at.SWITCHES]),
    )
