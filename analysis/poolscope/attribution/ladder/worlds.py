"""The ladder: the same items in worlds from which one obstacle after the other is removed.

Every world is compared by delay: completion - arrival - own demand. What a step takes away is what its obstacle cost. What
an item waited for another one is delay and no demand, in every world: there it lasts as long as the other one takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.base.series import Steps
from poolscope.executions.capacity import cores_while
from poolscope.executions.cores_had import is_contested, only_gained
from poolscope.executions.items import Items
from poolscope.executions.pool import Pool
from poolscope.replay import Outcome, Workload, World, simulate
from poolscope.replay.policies import Allowed


@dataclass(frozen=True)
class Ladder:
    """Delay of every item in every world, ns, shape (items,); of an item still queued at the end, up to the end."""

    actual: FloatArray
    """Measured; a lower bound for items that were queued or running at the end."""
    ready: FloatArray
    """The pool is never short of threads below its maximum."""
    never_short: BoolArray
    """Up to its start nothing had queued below the maximum: the item's wait has nothing of injection."""
    asynchronous: FloatArray
    """And a blocked item holds no thread."""
    free: FloatArray
    """And every runnable stretch runs at once, suspensions apart."""
    unsuspended: FloatArray
    """And the runtime is never suspended."""
    ready_outcome: Outcome
    as_is: FloatArray
    """The actual world replayed, goal and cores as measured: how far it is from `actual` is the model's error."""
    async_alone: FloatArray
    """Only the holding removed: goal and cores as measured."""
    cores_alone: FloatArray
    """Only the core contention removed."""
    without_others: Callable[[], FloatArray]
    """The delays in the actual world replayed without other processes and the target's threads outside the pool."""
    with_threads: Callable[[Steps], FloatArray]
    """The delays in the actual world but for the number of threads that items may hold at each time."""
    on_cores: Callable[[Steps, Steps], FloatArray]
    """The same on cores that are the items' alone: threads, cores."""


def climb(
    items: Items,
    workload: Workload,
    group: IntArray,
    waiting: BoolArray,
    pool: Pool,
    cores: float,
    competitors: Steps,
    suspension: Steps,
    allowed: Steps,
    had: Steps,
) -> Ladder:
    """Replays the workload in each world; `allowed` is how many of the cores a quota leaves at each time, `had` how many the
    items were on while they wanted one.

    `group`: items that wanted the same lock, -1: none. Which of them gets it next is random, in the capture and in each
    replay: their delays are compared together, and each has its share of what the group's delay fell. `waiting`: items
    that waited for another one, which may have been late although they were not.
    """
    finite = cores_while(suspension, allowed)
    infinite = cores_while(suspension, np.inf)
    unlimited = Steps.constant(np.inf)
    # A maximum below the cores is a limit of the pool, not of the cores: it must not pass as core contention.
    at_least_cores = Steps(pool.maximum.time, np.maximum(pool.maximum.value, np.ceil(cores)))

    own = slice(items.count)  # what was carried into the capture takes part, but has no delay of its own
    # Of an item still queued at the end only the delay up to then is known: every world is asked for no more.
    seen = np.where(items.queued_at_end, items.wait, np.inf)

    actual = (items.end - items.enqueue) - np.where(items.queued_at_end, 0.0, workload.demand[own])

    def delay(outcome: Outcome) -> FloatArray:
        # Of an item that never ends in a world nothing can be said to be removed.
        told = np.where(outcome.stuck[own], actual, outcome.delay(workload)[own])
        return np.minimum(_together(told, actual, group), seen)

    def run(threads: Steps, cores_at: Steps, others: Steps, holding: bool) -> Outcome:
        return simulate(workload, World(cores_at, others, Allowed(threads, holding)))

    def world(threads: Steps, cores_at: Steps, holding: bool) -> FloatArray:
        return delay(run(threads, cores_at, competitors, holding))

    ready = run(pool.maximum, finite, competitors, True)
    # Where nothing had queued below the maximum up to an item's start (to its end, if it waited for others), `ready` is the
    # actual world: what the replay of it misses is the model's error, and must not pass as injection.
    below = pool.goal.combine(pool.maximum, np.less).combine(pool.queued, lambda short, queue: short * (queue > 0))
    start = np.zeros(items.count)
    never_short = below.integral(start, items.dequeue) == 0
    not_at_all = below.integral(start, np.where(waiting, items.end, items.dequeue)) == 0
    as_is, asynchronous = world(pool.goal, finite, True), world(at_least_cores, finite, False)
    with_threads = delay(ready)
    if is_contested(competitors, float(items.end.max(initial=0))):
        own_cores, nobody = cores_while(suspension, had), Steps.constant(0.0)
        as_own, ready_own, async_own = (
            delay(run(threads, own_cores, nobody, holding))
            for threads, holding in ((pool.goal, True), (pool.maximum, True), (at_least_cores, False))
        )
        held = only_gained(with_threads, asynchronous, ready_own, async_own) * np.maximum(
            with_threads - asynchronous, 0.0
        )
        gained = only_gained(as_is, with_threads, as_own, ready_own) * np.maximum(actual - with_threads, 0.0)
        with_threads = np.where(with_threads < actual, actual - gained, with_threads)
        asynchronous = with_threads - held
    return Ladder(
        actual=actual,
        ready=np.where(not_at_all, np.maximum(actual, with_threads), with_threads),
        never_short=never_short,
        asynchronous=asynchronous,
        free=world(unlimited, infinite, False),
        unsuspended=world(unlimited, Steps.constant(np.inf), False),
        ready_outcome=ready,
        as_is=as_is,
        async_alone=world(pool.goal, finite, False),
        cores_alone=world(pool.goal, infinite, True),
        without_others=lambda: delay(run(pool.goal, finite, Steps.constant(0.0), True)),
        with_threads=lambda threads: world(threads, finite, True),
        on_cores=lambda threads, own: delay(run(threads, cores_while(suspension, own), Steps.constant(0.0), True)),
    )


def _together(delay: FloatArray, actual: FloatArray, group: IntArray) -> FloatArray:
    """The delays of a world, those within a group in proportion to the measured ones: with the same sum."""
    grouped = np.flatnonzero(group >= 0)
    if len(grouped) == 0:
        return delay
    measured = np.maximum(actual[grouped], 0.0)
    total = np.bincount(group[grouped], measured)
    share = np.bincount(group[grouped], delay[grouped]) / np.maximum(total, 1.0)
    result = delay.copy()
    result[grouped] = np.where(total[group[grouped]] > 0, measured * share[group[grouped]], delay[grouped])
    return result
