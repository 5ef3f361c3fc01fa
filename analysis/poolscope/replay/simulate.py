"""Simulating a workload in a world."""

from __future__ import annotations

import numpy as np

from poolscope.arrays import IntArray
from poolscope.replay import hill_climbing
from poolscope.replay.compiled import compiled_loop
from poolscope.replay.layout import lay_out, read_outcome
from poolscope.replay.loop.events import run
from poolscope.replay.outcome import Outcome
from poolscope.replay.policies.net import climbing_knobs
from poolscope.replay.workload import Op, Workload
from poolscope.replay.world import World

COMPILE_ABOVE = 50_000
"""Operations, items and steps of the world (some 10 us each in Python) from which the compiled loop is used: loading it
from the cache on disk takes half a second, compiling it once some 20 s."""
COMPILE_AFTER = 200_000
"""The same once so many have been run as Python in this process, as a sweep over many settings does."""


def simulate(workload: Workload, world: World) -> Outcome:
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


def simulate_by(workload: Workload, world: World, compiled: bool) -> Outcome:
    """The same by the compiled loop, or by the plain one, which is its oracle: they give the same bytes."""
    _check(workload)
    f, i = lay_out(workload, world)
    hill = hill_climbing.new_state(climbing_knobs(world.policy), world.seed)
    if compiled:
        compiled_loop()(f, i, hill)
        return read_outcome(f, i, workload.count)
    # Lists, whose numbers Python reads several times as fast.
    numbers, integers = f.tolist(), i.tolist()
    run(numbers, integers, hill.tolist())
    return read_outcome(np.array(numbers), np.array(integers, dtype=np.int64), workload.count)


def _check(workload: Workload) -> None:
    program = workload.program
    if len(program.first) != workload.count + 1 or (workload.count and program.first[-1] != len(program.op)):
        raise ValueError("a program must have the operations of each item, and no others")
    if (program.value < 0).any() or np.isnan(program.value).any():
        raise ValueError("an operation cannot take less than 0 ns")
    _check_targets(program.target[(program.op == Op.WAIT) | (program.op == Op.TASK_WAIT)], workload.marks, "mark")
    _check_targets(program.target[program.op == Op.MARK], workload.marks, "mark")
    _check_targets(program.target[(program.op == Op.ACQUIRE) | (program.op == Op.RELEASE)], workload.locks, "lock")
    _check_targets(program.target[program.op == Op.ENQUEUE], workload.count, "item")


def _check_targets(targets: IntArray, count: int, what: str) -> None:
    if len(targets) and (targets.min() < 0 or targets.max() >= count):
        raise ValueError(f"an operation names {what} {targets.max()}, but there are {count}")
