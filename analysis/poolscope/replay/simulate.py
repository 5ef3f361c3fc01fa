"""Simulates a workload in a world."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from poolscope import native
from poolscope.base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from poolscope.base.series import Steps
from poolscope.replay.loop import events
from poolscope.replay.loop.given import Given, Happened
from poolscope.replay.policies.net import climbing_knobs
from poolscope.replay.policies.policy import ALLOWED, NET, Policy
from poolscope.replay.workload import Workload


@dataclass(frozen=True)
class World:
    """One world. The step functions must begin no later than the first arrival, or hold from there on."""

    cores: Steps
    """CPUs' worth of time per second. 0 while the runtime is suspended; inf: no contention."""
    competitors: Steps
    """Other runnable threads that share the cores. A mean over a bin may be a fraction."""
    policy: Policy
    seed: int = 0
    """The seed of everything random (phase of the clocks, hill climbing's intervals). The same seed gives the same
    outcome."""

    @staticmethod
    def constant(policy: Policy, cores: float, competitors: float = 0.0, seed: int = 0) -> World:
        """Returns a world with the same cores and competitors at all times."""
        return World(Steps.constant(cores), Steps.constant(competitors), policy, seed)

    @cached_property
    def supply(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
        """Times, ns, and the values from each of them on: cores, competitors, the policy's least and most threads."""
        limit_time, least, most = self.policy.limits()
        time = np.unique(np.concatenate((self.cores.time, self.competitors.time, limit_time)))
        steps = (self.cores, self.competitors, Steps(limit_time, least), Steps(limit_time, most))
        cores, competitors, low, high = (_plain(series.at(time), np.float64) for series in steps)
        return _plain(time, np.float64), cores, competitors, low, high

    def is_like(self, other: World) -> bool:
        """Returns whether every workload has the same outcome in both with the same seed."""
        mine, theirs = self.policy, other.policy
        return (
            (mine.kind, mine.holding, mine.rules()) == (theirs.kind, theirs.holding, theirs.rules())
            and climbing_knobs(mine) == climbing_knobs(theirs)
            and all(map(np.array_equal, self.supply, other.supply))
        )

    def drawn_with(self, seed: int) -> World:
        """Returns the same world with another seed, reusing the values already computed."""
        other = replace(self, seed=seed)
        vars(other)["supply"] = self.supply
        return other


@dataclass(frozen=True)
class GoalChanges:
    """The pool's changes of its goal, in order of time; empty for pools without a goal."""

    time: FloatArray
    """Shape (changes,), ns from the start of the capture."""
    goal: IntArray
    """The number of threads that may work at once from then on."""
    reason: IntArray
    """The numbers of the runtime's own event (ThreadPoolWorkerThreadAdjustment): 6 is starvation."""


@dataclass(frozen=True)
class Simulated:
    """When each item would have arrived, started and ended, ns from the start of the capture. inf means never."""

    arrival: FloatArray
    """Shape (items,). An item that another item brings arrives when that item reaches that point."""
    start: FloatArray
    end: FloatArray
    threads: Steps
    """Threads of the pool that exist, working or not. For Allowed, which has no threads, the most that items have held
    at once so far."""
    goal_changes: GoalChanges
    most_at_once: int
    """The most counted items that had started and not ended. One that ends when another one starts is over."""
    context_switches: float
    """An estimate of how often a thread of the pool left its core because it blocked, parked, or used up its slice."""

    @property
    def peak_threads(self) -> int:
        return int(self.threads.value.max())

    @property
    def stuck(self) -> BoolArray:
        """Items that never ended, shape (items,): never enqueued, queued for ever, or blocked for ever."""
        return np.isinf(self.end)

    @property
    def deadlock(self) -> bool:
        """True if items were unfinished and no event could ever happen again."""
        return bool(self.stuck.any())

    def delay(self, workload: Workload) -> FloatArray:
        """Returns the delay of each item in ns: completion - arrival - own demand. inf if it never ends."""
        with np.errstate(invalid="ignore"):  # inf - inf if it never arrives
            delay = self.end - self.arrival
        delay -= workload.demand
        delay[self.stuck] = np.inf
        return delay


UNIFORMS = 8192
"""The number of random numbers drawn beforehand, so that the native and the plain loop have the same ones."""
MOST_LOGGED = 65_536
"""The number of changes of the goal recorded before the log becomes coarser. For threads, this many beyond two per
item."""


@lru_cache(maxsize=16)
def _uniforms(seed: int) -> FloatArray:
    return np.random.Generator(np.random.PCG64(seed)).random(UNIFORMS)


def lay_out(workload: Workload, world: World, counted: int | None = None) -> Given:
    """Returns the workload and the world in the form that the loop reads."""
    policy, program, items = world.policy, workload.program, workload.count
    time, cores, competitors, least, most = world.supply
    arrival_time, arrival_item = workload.arrivals
    return Given(
        kind=policy.kind,
        holding=policy.holding,
        rules=policy.rules(),
        climbing=climbing_knobs(policy),
        seed=world.seed,
        uniforms=_uniforms(world.seed),
        thread_room=items + 2 if policy.kind == ALLOWED else 2 * items + 1024,
        goal_room=min(MOST_LOGGED, 1024 + 2 * items) if policy.kind == NET else 1,
        counted=items if counted is None else counted,
        time=time,
        cores=cores,
        competitors=competitors,
        least=least,
        most=most,
        arrival_time=arrival_time,
        arrival_item=arrival_item,
        rank=workload.keys,
        queue=np.zeros(0, dtype=np.int64) if workload.queue is None else _plain(workload.queue, np.int64),
        awaits_answer=workload.awaits_answer,
        mark_awaits_answer=workload.mark_awaits_answer,
        locks=workload.locks,
        first_come=workload.first_come,
        stand_ins=workload.stand_ins,
        first=_plain(program.first, np.int64),
        op=_plain(program.op, np.int8),
        value=_plain(program.value, np.float64),
        target=_plain(program.target, np.int32),
    )


def outcome_of(happened: Happened) -> Simulated:
    """Returns the result of a finished simulation."""
    count = happened.thread_count.astype(np.float64)
    count[np.argmax(count)] = happened.peak  # the peak survives even if the log became coarser
    return Simulated(
        arrival=happened.arrived,
        start=happened.start,
        end=happened.end,
        threads=Steps(happened.thread_time, count),
        goal_changes=GoalChanges(happened.goal_time, happened.goal, happened.goal_reason),
        most_at_once=happened.most_at_once,
        context_switches=happened.context_switches,
    )


def _plain(array: npt.ArrayLike, kind: npt.DTypeLike) -> AnyArray:
    return np.ascontiguousarray(array, dtype=kind)


Loop = Callable[[Given], Happened]


def simulate(workload: Workload, world: World, counted: int | None = None) -> Simulated:
    """Runs the workload in the world: O((operations + steps) log items). The same arguments give the same outcome.
    `counted`: the number of items, from the first one on, that count in `most_at_once`. None: all.

    The native loop runs without the interpreter's lock, so two threads can run two worlds. Raises ValueError for a
    program that names a mark, lock or item that does not exist, or for a negative duration.
    """
    return simulate_by(plain_loop if native.extension is None else native_loop, workload, world, counted)


def simulate_by(loop: Loop, workload: Workload, world: World, counted: int | None = None) -> Simulated:
    """Returns the same from one of the two loops, which give the same bytes."""
    if workload.flaw:
        raise ValueError(workload.flaw)
    return outcome_of(loop(lay_out(workload, world, counted)))


plain_loop: Loop = events.run
"""The specification, and the oracle of the native loop."""


def native_loop(given: Given) -> Happened:
    """Runs a world some forty times as fast. Needs the native extension."""
    arrived, start, end, time, count, peak, goal_time, goal, reason, most, switches = native.extension.replay(given)
    return Happened(
        arrived=_floats(arrived),
        start=_floats(start),
        end=_floats(end),
        thread_time=_floats(time),
        thread_count=_integers(count),
        peak=peak,
        goal_time=_floats(goal_time),
        goal=_integers(goal),
        goal_reason=_integers(reason),
        most_at_once=most,
        context_switches=switches,
    )


def _floats(content: bytearray) -> FloatArray:
    return np.frombuffer(content, dtype=np.float64)


def _integers(content: bytearray) -> IntArray:
    return np.frombuffer(content, dtype=np.int64)
