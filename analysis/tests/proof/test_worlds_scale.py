"""The replay under changes of which the result is known without a replay: another unit of time, another start, two
workloads that have nothing in common."""

import numpy as np
import pytest
from poolscope.base.series import Steps
from poolscope.replay import Program, Workload, World
from poolscope.replay.policies import Allowed
from poolscope.replay.simulate import plain_loop, simulate_by
from poolscope.replay.workload import Op
from worlds import workload_of

SEEDS = range(4)
WORLDS = {
    "few threads": (Allowed(Steps.constant(3.0)), 2.0),
    "no holding": (Allowed(Steps.constant(2.0), holding=False), 2.0),
    "a thread for each": (Allowed(Steps.constant(np.inf)), np.inf),
}


def run(workload, world):
    return simulate_by(plain_loop, workload, world)


def scaled(steps, factor):
    return Steps(steps.time * factor, steps.value)


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_twice_as_long_in_everything_is_twice_as_long(seed, name):
    """A power of two, so that not even a rounding differs. Pools that look at a clock of their own are none of these."""
    policy, cores = WORLDS[name]
    workload = workload_of(seed)
    world = World(Steps(np.array([0.0, 1e8]), np.array([cores, cores / 2])), Steps.constant(0.5), policy)
    slow = Workload(
        workload.arrival * 4.0,
        workload.rank,
        Program(workload.program.first, workload.program.op, workload.program.value * 4.0, workload.program.target),
        workload.marks,
        workload.locks,
    )
    once, fourfold = run(workload, world), run(slow, World(scaled(world.cores, 4.0), world.competitors, policy))
    assert (fourfold.start == 4.0 * once.start).all()
    assert (fourfold.end == 4.0 * once.end).all()


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_twice_the_cores_for_twice_the_cpu_time_is_the_same(seed, name):
    """Every item alone on a core is as fast as before, so the number of cores counts only where it is short: with a rate
    below one for all, twice the demand at twice the rate."""
    policy, _ = WORLDS[name]
    workload = workload_of(seed)
    program = workload.program
    half = Program(
        program.first, program.op, np.where(program.op == Op.CPU, program.value / 2, program.value), program.target
    )
    # This many competitors that nobody ever has a core alone.
    slow = run(
        Workload(workload.arrival, workload.rank, half, workload.marks, workload.locks),
        World.constant(policy, 1.0, 1e6),
    )
    fast = run(workload, World.constant(policy, 2.0, 1e6))
    assert np.allclose(slow.end, fast.end, rtol=1e-3)


@pytest.mark.parametrize("seed", SEEDS)
def test_workloads_that_share_nothing_do_not_meet(seed):
    """Side by side, item by item in turn, on cores for all: each as if it were alone."""
    one, other = workload_of(seed), workload_of(seed + 100)
    world = World.constant(Allowed(Steps.constant(np.inf)), np.inf)
    alone = [run(one, world), run(other, world)]
    both = run(side_by_side(one, other), world)
    for i, outcome in enumerate(alone):
        for name in ("arrival", "start", "end"):
            assert (getattr(both, name)[i::2] == getattr(outcome, name)).all(), name


def side_by_side(one, other):
    """Items of two workloads of the same size in turn."""
    programs = []
    for item in range(one.count):
        for which, workload in enumerate((one, other)):
            p = workload.program
            rows = range(p.first[item], p.first[item + 1])
            programs.append([_moved(p, row, which, one) for row in rows])
    made = Program.of(programs)
    enqueues = [w.program.value[w.program.op == Op.ENQUEUE] for w in (one, other)]
    for which, values in enumerate(enqueues):
        mine = np.flatnonzero((made.op == Op.ENQUEUE) & (made.target % 2 == which))
        made.value[mine] = values
    arrival = np.stack((one.arrival, other.arrival), axis=1).reshape(-1)
    rank = np.stack((2 * one.rank, 2 * other.rank + 1), axis=1).reshape(-1)
    return Workload(arrival, rank, made, marks=one.marks + other.marks, locks=one.locks + other.locks)


def _moved(program, row, which, one):
    op, target = int(program.op[row]), int(program.target[row])
    if op in Op.TIMED:
        return op, float(program.value[row])
    if op == Op.ENQUEUE:
        return op, 2 * target + which
    if op in (Op.ACQUIRE, Op.RELEASE):
        return op, target + which * one.locks
    return op, target + which * one.marks
