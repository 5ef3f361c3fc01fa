"""The compiled loop against its oracle, the same functions as plain Python."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from poolscope.replay import Op, Program, Workload, World, simulate
from poolscope.replay.policies import Net
from poolscope.replay.simulate import simulate_by
from random_worlds import POLICIES, random_workload, world_of


def the_bytes(outcome):
    changes = outcome.goal_changes
    arrays = (outcome.arrival, outcome.start, outcome.end, outcome.threads.time, outcome.threads.value)
    return [a.tobytes() for a in (*arrays, changes.time, changes.goal, changes.reason)] + [outcome.context_switches]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seed", [1, 2])
def test_compiled_and_plain_loop_give_the_same_bytes(policy, seed):
    pytest.importorskip("numba")
    workload = random_workload(seed, 400, answers=seed == 2)
    world = world_of(policy, seed)
    compiled = simulate_by(workload, world, compiled=True)
    assert the_bytes(compiled) == the_bytes(simulate_by(workload, world, compiled=False))
    assert np.isfinite(compiled.start).any()


@pytest.mark.parametrize("policy", POLICIES)
def test_every_item_ends_and_none_before_its_demand_is_met(policy):
    workload = random_workload(3, 300, waits=False)
    outcome = simulate(workload, world_of(policy))
    assert not outcome.deadlock
    assert (outcome.start >= outcome.arrival).all()
    assert (outcome.delay(workload) >= -1e-3).all()  # what processor sharing rounds
    assert (outcome.threads.value >= 0).all()


def test_two_threads_run_two_worlds_at_once():
    pytest.importorskip("numba")
    workload = random_workload(4, 3000)
    worlds = [world_of("net", 1), world_of("net11")]
    alone = [the_bytes(simulate_by(workload, world, compiled=True)) for world in worlds]
    with ThreadPoolExecutor(2) as executor:
        together = list(executor.map(lambda world: the_bytes(simulate_by(workload, world, compiled=True)), worlds))
    assert together == alone


def test_the_seed_decides_and_nothing_else():
    workload = random_workload(5, 500)
    outcomes = [the_bytes(simulate(workload, world_of("net", seed))) for seed in (1, 1, 2)]
    assert outcomes[0] == outcomes[1] != outcomes[2]


def test_a_program_that_names_what_is_not_there_is_refused():
    world = World.constant(POLICIES["net"], 2.0)
    for op, what in ((Op.WAIT, "mark"), (Op.ACQUIRE, "lock"), (Op.ENQUEUE, "item")):
        with pytest.raises(ValueError, match=what):
            simulate(Workload.in_turn(np.zeros(1), Program.of([[(op, 1)]])), world)
    with pytest.raises(ValueError, match="less than 0"):
        simulate(Workload.in_turn(np.zeros(1), Program.of([[(Op.CPU, -1)]])), world)


@pytest.mark.parametrize("least, most", [(0, 4), (5, 4)])
def test_contradictory_limits_are_refused(least, most):
    with pytest.raises(ValueError, match="min"):
        Net(least, most, 2).limits()
