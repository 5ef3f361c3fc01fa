"""Simulating a workload in a world."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poolscope import native
from poolscope.base.arrays import FloatArray, IntArray
from poolscope.replay.layout import lay_out, outcome_of
from poolscope.replay.loop import events
from poolscope.replay.loop.given import Given, Happened
from poolscope.replay.simulated import Simulated
from poolscope.replay.workload import Workload
from poolscope.replay.world import World

Loop = Callable[[Given], Happened]


def simulate(workload: Workload, world: World) -> Simulated:
    """Runs the workload in the world: O((operations + steps) log items). The same arguments, the same outcome. The native
    loop runs without the interpreter's lock: two threads can run two worlds.

    Raises ValueError for a program that names a mark, lock or item that is not there, or a negative duration.
    """
    return simulate_by(plain_loop if native.extension is None else native_loop, workload, world)


def simulate_by(loop: Loop, workload: Workload, world: World) -> Simulated:
    """Returns the same by one of the two loops: they give the same bytes."""
    if workload.flaw:
        raise ValueError(workload.flaw)
    return outcome_of(loop(lay_out(workload, world)))


plain_loop: Loop = events.run
"""The specification, and the oracle of the other one."""


def native_loop(given: Given) -> Happened:
    """Runs a world some forty times as fast. Only where there is a native extension."""
    arrived, start, end, time, count, peak, goal_time, goal, reason, switches = native.extension.replay(given)
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
        context_switches=switches,
    )


def _floats(content: bytearray) -> FloatArray:
    return np.frombuffer(content, dtype=np.float64)


def _integers(content: bytearray) -> IntArray:
    return np.frombuffer(content, dtype=np.int64)
