"""The replay under changes with a known result: another unit of time, another start, two independent workloads."""

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
    """The factor is a power of two, so that even roundings agree. Pools that read a clock of their own are excluded."""
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
    """An item alone on a core is as fast as before, so the number of cores matters only if cores are short. With a rate
    below one for all, twice the demand runs at twice the rate."""
    policy, _ = WORLDS[name]
    workload = workload_of(seed)
    program = workload.program
    half = Program(
        program.first, program.op, np.where(program.op == Op.CPU, program.value / 2, program.value), program.target
    )
    # With this many competitors no item ever has a core to itself.
    slow = run(
        Workload(workload.arrival, workload.rank, half, workload.marks, workload.locks),
        World.constant(policy, 1.0, 1e6),
    )
    fast = run(workload, World.constant(policy, 2.0, 1e6))
    assert np.allclose(slow.end, fast.end, rtol=1e-3)


@pytest.mark.parametrize("seed", SEEDS)
def test_workloads_that_share_nothing_do_not_meet(seed):
    """The workloads run side by side with a core for every item: each runs as if it were alone."""
    one, other = workload_of(seed), workload_of(seed + 100)
    world = World.constant(Allowed(Steps.constant(np.inf)), np.inf)
    alone = [run(one, world), run(other, world)]
    both = run(side_by_side(one, other), world)
    for i, outcome in enumerate(alone):
        for name in ("arrival", "start", "end"):
            assert (getattr(both, name)[i::2] == getattr(outcome, name)).all(), name


def side_by_side(one, other):
    """Returns one workload with the items of two workloads of the same size in turn."""
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
