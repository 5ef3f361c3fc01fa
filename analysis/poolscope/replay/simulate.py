"""Simulating a workload in a world."""

from __future__ import annotations

from time import thread_time
from typing import cast

from poolscope.base.arrays import FloatArray, IntArray
from poolscope.replay import hill_climbing
from poolscope.replay.compiled import compiled_loop, compiling_takes_s
from poolscope.replay.layout import lay_out, read_outcome
from poolscope.replay.loop.events import run
from poolscope.replay.simulated import Simulated
from poolscope.replay.policies.net import climbing_knobs
from poolscope.replay.workload import Workload
from poolscope.replay.world import World

PLAIN_S = 1e-5
"""What an operation, an item or a step of the world takes as Python, s, roughly."""


def expect(workload: Workload, worlds: int) -> None:
    """Says that this many worlds of the workload are about to be simulated: it decides whether to compile the loop first pays.
    Changes no outcome."""
    _plain.expected_s = worlds * _plain_s(len(workload.program.op) + workload.count)


def simulate(workload: Workload, world: World) -> Simulated:
    """Runs the workload in the world: O((operations + steps) log items). The same arguments, the same outcome.

    Raises ValueError for a program that names a mark, lock or item that is not there, or a negative duration.
    """
    size = len(workload.program.op) + workload.count + len(world.cores.time) + len(world.competitors.time)
    own_s = _plain_s(size)
    # Rent until what it cost would have bought: at most twice the time of whoever knew what will be asked.
    rent_s = _plain.spent_s + max(own_s, _plain.expected_s)
    _plain.expected_s = max(_plain.expected_s - own_s, 0.0)
    if rent_s > compiling_takes_s():
        return simulate_by(workload, world, compiled=True)
    begun = thread_time()
    outcome = simulate_by(workload, world, compiled=False)
    _plain.spent_s += thread_time() - begun
    return outcome


def _plain_s(size: int) -> float:
    return size * PLAIN_S


class _Plain:
    """CPU time of the loop as Python, s."""

    spent_s = 0.0
    """So far."""
    expected_s = 0.0
    """For what is announced and still to come."""


_plain = _Plain()


def simulate_by(workload: Workload, world: World, compiled: bool) -> Simulated:
    """Returns the same by the compiled loop, or by the plain one, which is its oracle: they give the same bytes."""
    if workload.flaw:
        raise ValueError(workload.flaw)
    f, i = lay_out(workload, world)
    hill = hill_climbing.new_state(climbing_knobs(world.policy), world.seed)
    if compiled:
        compiled_loop()(f, i, hill)
        return read_outcome(f, i, workload.count)
    # Python reads numbers through a memoryview several times as fast, and nothing is copied: most of what is laid out is
    # room for threads that a small workload never has.
    run(cast(FloatArray, f.data), cast(IntArray, i.data), cast(FloatArray, hill.data))
    return read_outcome(f, i, workload.count)
