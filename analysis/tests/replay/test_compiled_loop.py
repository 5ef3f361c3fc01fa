"""The compiled loop against its oracle, the same functions as plain Python."""

import importlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from poolscope.replay import Op, Program, Workload, World, compiled, machine_code, simulate
from poolscope.replay.policies import Net
from poolscope.replay.simulate import simulate_by
from random_worlds import POLICIES, random_workload, world_of

simulating = importlib.import_module("poolscope.replay.simulate")  # the package has a function of that name


def the_bytes(outcome):
    changes = outcome.goal_changes
    arrays = (outcome.arrival, outcome.start, outcome.end, outcome.threads.time, outcome.threads.value)
    return [a.tobytes() for a in (*arrays, changes.time, changes.goal, changes.reason)] + [outcome.context_switches]


def beforehand():
    return machine_code.prepared_loop() or pytest.skip("not made here: setup makes it on Linux x64 with a C compiler")


def by_numba():
    pytest.importorskip("numba")
    return compiled.numba_loop()


@pytest.mark.parametrize("loop", [beforehand, by_numba])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_compiled_and_plain_loop_give_the_same_bytes(policy, seed, loop, monkeypatch):
    machine = loop()
    monkeypatch.setattr(simulating, "compiled_loop", lambda: machine)
    workload = random_workload(seed, 400, answers=seed >= 2)
    if seed == 3:
        workload = replace(workload, queue=gathering(400), stand_ins=True, first_come=True)
    world = world_of(policy, seed)
    outcome = simulate_by(workload, world, compiled=True)
    assert the_bytes(outcome) == the_bytes(simulate_by(workload, world, compiled=False))
    assert np.isfinite(outcome.start).any()


def gathering(count):
    """Every fourth item works off one of two queues, if it does not bring others."""
    number = np.arange(count)
    return np.where((number % 4 == 1) & (number % 7 != 3), 1 + number // 4 % 2, -1)


@pytest.mark.parametrize("policy", POLICIES)
def test_items_that_gather_end_with_the_one_that_works_off_their_queue(policy):
    workload = replace(random_workload(6, 300, waits=False), queue=gathering(300), first_come=True)
    outcome = simulate(workload, world_of(policy))
    assert not outcome.deadlock
    assert (outcome.start >= outcome.arrival).all() and (outcome.end >= outcome.start).all()
    alone = workload.queue < 0
    assert (outcome.delay(workload)[alone] >= -1e-3).all()


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
    with pytest.raises(ValueError, match="a queue"):
        program = Program.of([[(Op.CPU, 1)]])
        simulate(replace(Workload.in_turn(np.zeros(1), program), queue=np.zeros(1, dtype=np.int64)), world)
    with pytest.raises(ValueError, match="less than 0"):
        simulate(Workload.in_turn(np.zeros(1), Program.of([[(Op.CPU, -1)]])), world)


@pytest.mark.parametrize("least, most", [(0, 4), (5, 4)])
def test_contradictory_limits_are_refused(least, most):
    with pytest.raises(ValueError, match="min"):
        Net(least, most, 2).limits()
