"""The ladder: replays the same items in worlds from which one obstacle after another is removed.

Worlds are compared by delay: completion - arrival - own demand. Each step removes the cost of its obstacle. The time
for which an item waited for another one is delay in every world, not demand: it lasts as long as the other item takes.
The steps are charged to the measured wait so that the parts add up to it exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from poolscope.base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from poolscope.base.series import Steps
from poolscope.base.stages import side_by_side, together
from poolscope.executions.capacity import cores_while, is_contested, is_full, only_gained
from poolscope.executions.items import Items
from poolscope.executions.pool import Handoff, Pool
from poolscope.replay import Simulated, Workload, World, simulate
from poolscope.replay.policies import Allowed


@dataclass(frozen=True)
class Demand:
    """The demand of the items, the same in every world."""

    workload: Workload
    lock_group: AnyArray
    """Shape (items,): items that wanted the same lock; -1: none. The next owner of the lock is random, in the capture
    and in each replay. So the items' delays are compared as one group, and each item gets its share of the group's
    gain."""
    waits_for_others: BoolArray
    """Shape (items,): the item waited for another one, which may have been late even if this item was not."""


@dataclass(frozen=True)
class CoreSupply:
    """The machine's supply of cores to the items over time."""

    count: float
    """Cores that the process may use."""
    competitors: Steps
    """Runnable threads other than workers, weighted as in `competitors`."""
    suspension: Steps
    """1 while the runtime was suspended."""
    allowed: Steps
    """The number of cores that a quota left."""
    full: Steps
    """1 while all of the cores were in use."""
    had: Steps
    """The number of cores that the items were on while they wanted one."""


@dataclass(frozen=True)
class Ladder:
    """What later stages read of the delays, ns. The delay of an item still queued at the end is counted up to the
    end."""

    actual: FloatArray
    """The measured delay, shape (items,); a lower bound for items that were queued or running at the end."""
    as_is: FloatArray
    """The actual world replayed, with goal and cores as measured, shape (items,). Its distance from `actual` is the
    model's error."""
    removable: dict[str, float]
    """The drop in the mean delay if one obstacle alone is removed; 0 without items."""
    threads_needed: int
    """The most items that hold a thread at once if the pool is never short of threads below its maximum. Items that
    never end do not count."""
    worlds: Worlds
    """The worlds that the delays come from; other worlds are replayed on demand."""


@dataclass(frozen=True)
class Rungs:
    """The delay of every item in every world, ns, shape (items,). Freed once charged: each is as long as the items."""

    actual: FloatArray
    """As in Ladder."""
    enough_threads: FloatArray
    """The pool is never short of threads below its maximum."""
    never_short: BoolArray
    """Nothing had queued below the maximum up to the item's start, so that its wait contains no injection."""
    no_holding: FloatArray
    """As above, and a blocked item holds no thread."""
    enough_cores: FloatArray
    """As above, and every runnable stretch runs at once, suspensions apart."""
    unsuspended: FloatArray
    """As above, and the runtime is never suspended."""


@dataclass(frozen=True)
class Worlds:
    """Replays the items' demand in any world. Every method returns delays, ns, shape (items,), unless it says
    otherwise."""

    items: Items
    pool: Pool
    demand: Demand
    cores: CoreSupply

    @cached_property
    def actual(self) -> FloatArray:
        """The delays as measured."""
        items, own = self.items, slice(self.items.count)
        demand = np.where(items.queued_at_end, 0.0, self.demand.workload.demand[own])
        return np.asarray(items.end - items.enqueue - demand)

    @cached_property
    def finite(self) -> Steps:
        """The cores of the actual world."""
        return cores_while(self.cores.suspension, self.cores.allowed)

    def delay(self, outcome: Simulated) -> FloatArray:
        """Returns the result of `run` as delays."""
        own = slice(self.items.count)  # executions carried into the capture take part, but have no delay
        # The delay of an item still queued at the end is known only up to then, so every world is cut there.
        seen = np.where(self.items.queued_at_end, self.items.wait, np.inf)
        # If an item never ends in a world, nothing can be said to be removed.
        told = np.where(outcome.stuck[own], self.actual, outcome.delay(self.demand.workload)[own])
        return np.minimum(_together(told, self.actual, self.demand.lock_group), seen)

    def run(self, threads: Steps, cores_at: Steps, others: Steps, holding: bool) -> Simulated:
        """Replays the demand with these threads, cores and competitors over time. `holding`: blocked items hold their
        threads."""
        return simulate(self.demand.workload, World(cores_at, others, Allowed(threads, holding)))

    def among_others(self, threads: Steps, cores_at: Steps, holding: bool) -> FloatArray:
        """Returns the delays beside the measured competitors."""
        return self.delay(self.run(threads, cores_at, self.cores.competitors, holding))

    def alone(self, threads: Steps, cores_at: Steps, holding: bool) -> FloatArray:
        """Returns the delays on cores as in `run_alone`."""
        return self.delay(self.run_alone(threads, cores_at, holding))

    def run_alone(self, threads: Steps, cores_at: Steps, holding: bool) -> Simulated:
        """Replays the demand on cores that only the items use, apart from suspensions."""
        return self.run(threads, cores_while(self.cores.suspension, cores_at), Steps.constant(0.0), holding)

    def with_threads(self, threads: Steps) -> FloatArray:
        """Returns the delays in the actual world with another number of threads that items may hold at each time."""
        return self.among_others(threads, self.finite, True)

    def beside(self, competitors: Steps) -> FloatArray:
        """Returns the delays in the actual world with other competitors."""
        return self.delay(self.run(self.pool.goal, self.finite, competitors, True))


def climb(worlds: Worlds, rows: int) -> tuple[Ladder, Rungs]:
    """Replays the items' demand in each world of the ladder; `rows` of the capture, as for `side_by_side`."""
    items, pool, demand, cores = worlds.items, worlds.pool, worlds.demand, worlds.cores
    actual, finite = worlds.actual, worlds.finite
    infinite = cores_while(cores.suspension, np.inf)
    unlimited = Steps.constant(np.inf)
    # A maximum below the cores is a limit of the pool, not of the cores: it must not count as core contention.
    at_least_cores = Steps(pool.maximum.time, np.maximum(pool.maximum.value, np.ceil(cores.count)))

    with side_by_side(rows) as begun:
        replaying = begun.submit(worlds.run, pool.maximum, finite, cores.competitors, True)
        replays = [
            begun.submit(worlds.among_others, *settings)
            for settings in (
                (pool.goal, finite, True),
                (at_least_cores, finite, False),
                (unlimited, infinite, False),
                (unlimited, Steps.constant(np.inf), False),
                (pool.goal, finite, False),
                (pool.goal, infinite, True),
            )
        ]
    replayed = replaying.result()
    as_is, no_holding, enough_cores, unsuspended, no_holding_alone, enough_cores_alone = (r.result() for r in replays)
    # If nothing had queued below the maximum up to an item's start (to its end, if it waited for others),
    # `enough_threads` is the actual world. The error of its replay is the model's and must not count as injection.
    short = pool.goal.combine(pool.maximum, np.less)
    below = short.combine(pool.queued, lambda is_short, queue: is_short * (queue > 0)).merged()
    start = np.zeros(items.count)
    never_short = below.integral(start, items.dequeue) == 0
    not_at_all = below.integral(start, np.where(demand.waits_for_others, items.end, items.dequeue)) == 0
    enough_threads, needed = worlds.delay(replayed), _most_at_once(replayed)
    del replaying, replayed
    if is_contested(cores.competitors, float(items.end.max(initial=0))) or is_full(cores.full, below):
        as_is_own, enough_own, no_holding_own = together(
            rows,
            partial(worlds.alone, pool.goal, cores.had, True),
            partial(worlds.alone, pool.maximum, cores.had, True),
            partial(worlds.alone, at_least_cores, cores.had, False),
        )
        kept = only_gained(enough_threads, no_holding, enough_own, no_holding_own)
        held = kept * np.maximum(enough_threads - no_holding, 0.0)
        gained = only_gained(as_is, enough_threads, as_is_own, enough_own) * np.maximum(actual - enough_threads, 0.0)
        enough_threads = np.where(enough_threads < actual, actual - gained, enough_threads)
        no_holding = enough_threads - held
    enough_threads = np.where(not_at_all, np.maximum(actual, enough_threads), enough_threads)
    alone = {"threads": enough_threads, "async": no_holding_alone, "cores": enough_cores_alone}
    removable = {name: float((actual - delay).mean()) if items.count else 0.0 for name, delay in alone.items()}
    ladder = Ladder(actual, as_is, removable, needed, worlds)
    return ladder, Rungs(actual, enough_threads, never_short, no_holding, enough_cores, unsuspended)


def _most_at_once(outcome: Simulated) -> int:
    """Returns the most items that had started and not ended, of those that end."""
    if not outcome.deadlock:
        return outcome.most_at_once
    ends = ~outcome.stuck
    return int(Steps.count(outcome.start[ends], outcome.end[ends]).value.max(initial=0))


def _together(delay: FloatArray, actual: FloatArray, group: AnyArray) -> FloatArray:
    """Returns the delays of a world. Delays within a group are in proportion to the measured ones and keep their
    sum."""
    grouped = np.flatnonzero(group >= 0)
    if len(grouped) == 0:
        return delay
    measured = np.maximum(actual[grouped], 0.0)
    total = np.bincount(group[grouped], measured)
    share = np.bincount(group[grouped], delay[grouped]) / np.maximum(total, 1.0)
    result = delay.copy()
    result[grouped] = np.where(total[group[grouped]] > 0, measured * share[group[grouped]], delay[grouped])
    return result


@dataclass(frozen=True)
class WaitParts:
    """Parts of each item's wait in ns, all >= 0; they add up to the wait exactly."""

    wait: IntArray
    injection: IntArray
    holding: IntArray
    dependency: IntArray
    core: IntArray
    runtime: IntArray

    @property
    def blocking(self) -> IntArray:
        """Holding plus dependency: the code's own blocking."""
        return self.holding + self.dependency

    @property
    def residual(self) -> IntArray:
        """The wait minus its parts: 0 for every item; any other value is a defect."""
        return self.wait - self.injection - self.holding - self.dependency - self.core - self.runtime


def charge(
    items: Items, handoff: Handoff, rungs: Rungs, stopped: IntArray, coreless: FloatArray | None = None
) -> WaitParts:
    """Splits each wait: the handoff first, then the time that suspensions stopped, then each step of the ladder in its
    order. Each part is capped by the rest of the wait.

    `stopped`, ns: the part of each wait in which a suspension held the threads that the item waited for. It is measured
    and comes before the ladder. In the ladder a collection has its time and no cause, so that items that each force a
    collection would seem to need more threads.

    A step counts only as far as the delay really fell: D'k = min(Dk, D'k-1). A step may also save time that an item
    waited for others after its start. That saving is charged to the item's wait, too, as far as the wait reaches.
    Injection gets it only if the pool had been short of threads before the item's start.

    `coreless`, ns: the most that a lack of cores can have cost each wait, whatever a replay of locks that follow each
    other gives. The rest stays with the wait for others. None: not known.
    """
    taken = handoff.core + handoff.dispatch
    delays = [np.maximum(rungs.actual - taken, 0.0)]
    enough_threads = np.where(rungs.never_short, np.maximum(rungs.actual, rungs.enough_threads), rungs.enough_threads)
    for delay in (enough_threads, rungs.no_holding, rungs.enough_cores, rungs.unsuspended):
        delays.append(np.clip(delay, 0.0, delays[-1]))
    suspended = np.minimum(stopped, items.wait - taken)
    left = items.wait - taken - suspended
    steps: list[IntArray] = []
    bound = None if coreless is None else np.maximum(np.rint(coreless).astype(np.int64) - handoff.core, 0)
    for above, below, most in zip(delays[:-1], delays[1:], (None, None, bound, None), strict=True):
        part = np.minimum(np.rint(above - below).astype(np.int64), left if most is None else np.minimum(left, most))
        steps.append(part)
        left = left - part
    injection, holding, core, suspension = steps
    return WaitParts(
        wait=items.wait,
        injection=injection,
        holding=holding,
        dependency=left,
        core=core + handoff.core,
        runtime=suspension + handoff.dispatch + suspended,
    )
