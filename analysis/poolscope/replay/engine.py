"""The replay engine: the same items, picked in the same order, in another world.

Cores are shared by processor sharing: of n runnable items and k competitors on c cores each gets
min(1, c / (n + k)) of a core. Every runnable item is served at the same rate, so one virtual clock that advances at
that rate orders all of them: a CPU stretch of d ns that starts at virtual time v ends at v + d. Where the rate is 1 all
times are whole numbers of ns and the arithmetic is exact.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from poolscope.arrays import BoolArray, FloatArray, IntArray
from poolscope.replay.environment import Environment
from poolscope.replay.workload import Op, Workload

COMPILE_ABOVE = 50_000
"""Events from which compiling the loop (about 10 s once, then cached on disk) is quicker than running it as Python."""


@dataclass(frozen=True)
class Outcome:
    """When each item would have started and ended, ns from the start of the capture; inf: never."""

    start: FloatArray
    end: FloatArray

    def delay(self, workload: Workload) -> FloatArray:
        """Delay of each item in ns: completion - arrival - own demand."""
        return self.end - workload.arrival - workload.demand


def replay(workload: Workload, environment: Environment) -> Outcome:
    """Runs the workload in the environment. O((stretches + steps) log items)."""
    events = len(workload.program.op) + workload.count + len(environment.time)
    start, end = _loop(events > COMPILE_ABOVE)(*loop_arguments(workload, environment))
    return Outcome(start, end)


def loop_arguments(workload: Workload, environment: Environment) -> tuple[Any, ...]:
    """The arguments of `run`: plain arrays, because the compiled loop knows no classes of ours."""
    return (
        workload.arrival,
        workload.rank,
        workload.program.first,
        workload.program.op == Op.CPU,
        workload.program.value,
        np.argsort(workload.arrival, kind="stable"),
        environment.time,
        environment.threads,
        environment.cores,
        environment.competitors,
        environment.holding,
    )


@cache
def _loop(compiled: bool) -> Callable[..., Any]:
    if not compiled:
        return run
    try:
        import numba
    except ImportError:  # the plain loop gives the same numbers, only later
        return run
    return numba.njit(cache=True)(run)  # type: ignore[no-any-return]


def run(
    arrival: FloatArray,
    rank: IntArray,
    first: IntArray,
    on_cpu: BoolArray,
    duration: FloatArray,
    order: IntArray,
    env_time: FloatArray,
    env_threads: FloatArray,
    env_cores: FloatArray,
    env_competitors: FloatArray,
    holding: bool,
) -> tuple[FloatArray, FloatArray]:
    """The loop, in the subset of Python that numba compiles. Arguments: Workload's and Environment's fields;
    `order` sorts the items by arrival. Returns start and end of every item."""
    items = len(arrival)
    start = np.full(items, np.inf)
    end = np.full(items, np.inf)
    position = first[:-1].copy()
    # The heaps are seeded and emptied so that a compiler can tell what they hold.
    queue = [(0, 0)]  # (rank, item): waiting for a thread
    running = [(0.0, 0)]  # (virtual time at which the CPU stretch ends, item)
    blocked = [(0.0, 0)]  # (time at which the blocked stretch ends, item)
    queue.pop()
    running.pop()
    blocked.pop()
    now = 0.0
    virtual = 0.0
    held = 0  # threads that items hold
    arrived = 0
    step = 0
    if items > 0:
        now = min(arrival[order[0]], env_time[0])
    while True:
        while step + 1 < len(env_time) and env_time[step + 1] <= now:
            step += 1
        rate = 0.0
        if env_cores[step] > 0.0:
            rate = 1.0
            if len(running) > 0:
                rate = min(1.0, env_cores[step] / (len(running) + env_competitors[step]))

        # What happens next, and when.
        cpu_ends = False
        soonest = np.inf
        if len(running) > 0 and rate > 0.0:
            soonest = now + (running[0][0] - virtual) / rate
            cpu_ends = True
        if len(blocked) > 0 and blocked[0][0] < soonest:
            soonest = blocked[0][0]
            cpu_ends = False
        if arrived < items and arrival[order[arrived]] < soonest:
            soonest = arrival[order[arrived]]
            cpu_ends = False
        alive = len(running) + len(blocked) + len(queue) + (items - arrived)
        if alive > 0 and step + 1 < len(env_time) and env_time[step + 1] < soonest:
            soonest = env_time[step + 1]
            cpu_ends = False
        if soonest == np.inf:
            break
        if cpu_ends:
            virtual = running[0][0]  # not by adding a product: the sum must be exact
        else:
            virtual += (soonest - now) * rate
        now = soonest
        while step + 1 < len(env_time) and env_time[step + 1] <= now:
            step += 1

        # Everything that ends or arrives at this moment, before anyone is picked.
        while len(running) > 0 and running[0][0] <= virtual:
            item = heapq.heappop(running)[1]
            position[item] += 1
            done = position[item] == first[item + 1]
            if not done and on_cpu[position[item]]:
                heapq.heappush(running, (virtual + duration[position[item]], item))
                continue
            if done or not holding:
                held -= 1
            if done:
                end[item] = now
            else:
                heapq.heappush(blocked, (now + duration[position[item]], item))
        while len(blocked) > 0 and blocked[0][0] <= now:
            item = heapq.heappop(blocked)[1]
            position[item] += 1
            if position[item] == first[item + 1]:
                end[item] = now
                if holding:
                    held -= 1
            elif not on_cpu[position[item]]:
                heapq.heappush(blocked, (now + duration[position[item]], item))
            elif holding:
                heapq.heappush(running, (virtual + duration[position[item]], item))
            else:
                heapq.heappush(queue, (rank[item], item))
        while arrived < items and arrival[order[arrived]] <= now:
            item = order[arrived]
            arrived += 1
            heapq.heappush(queue, (rank[item], item))

        # Waiting items take threads as far as there are any.
        while len(queue) > 0 and held < env_threads[step]:
            item = heapq.heappop(queue)[1]
            if start[item] == np.inf:
                start[item] = now
            if position[item] == first[item + 1]:
                end[item] = now
            elif on_cpu[position[item]]:
                held += 1
                heapq.heappush(running, (virtual + duration[position[item]], item))
            else:
                if holding:
                    held += 1
                heapq.heappush(blocked, (now + duration[position[item]], item))
    return start, end
