"""Simulating a workload in a world."""

from __future__ import annotations

import numpy as np

from poolscope.replay import hill_climbing
from poolscope.replay.compiled import compiled_loop
from poolscope.replay.layout import lay_out, read_outcome
from poolscope.replay.loop.events import run
from poolscope.replay.simulated import Simulated
from poolscope.replay.policies.net import climbing_knobs
from poolscope.replay.workload import Workload
from poolscope.replay.world import World

COMPILE_ABOVE = 50_000
"""Operations, items and steps of the world (some 10 us each in Python) from which the compiled loop is used: loading it
from the cache on disk takes half a second, compiling it once some 20 s."""
COMPILE_AFTER = 200_000
"""The same once so many have been run as Python in this process, as a sweep over many settings does."""


def simulate(workload: Workload, world: World) -> Simulated:
    """Runs the workload in the world: O((operations + steps) log items). The same arguments, the same outcome.

    Raises ValueError for a program that names a mark, lock or item that is not there, or a negative duration.
    """
    size = len(workload.program.op) + workload.count + len(world.cores.time) + len(world.competitors.time)
    _plain.size += size
    return simulate_by(workload, world, compiled=size > COMPILE_ABOVE or _plain.size > COMPILE_AFTER)


class _Plain:
    """How much was run as Python so far."""

    size = 0


_plain = _Plain()


def simulate_by(workload: Workload, world: World, compiled: bool) -> Simulated:
    """The same by the compiled loop, or by the plain one, which is its oracle: they give the same bytes."""
    if workload.flaw:
        raise ValueError(workload.flaw)
    f, i = lay_out(workload, world)
    hill = hill_climbing.new_state(climbing_knobs(world.policy), world.seed)
    if compiled:
        compiled_loop()(f, i, hill)
        return read_outcome(f, i, workload.count)
    # Lists, whose numbers Python reads several times as fast.
    numbers, integers = f.tolist(), i.tolist()
    run(numbers, integers, hill.tolist())
    return read_outcome(np.array(numbers), np.array(integers, dtype=np.int64), workload.count)
