"""A pool that has run for a while: threads that were idle, a gate that slept, a world that changed before."""

import numpy as np
import pytest
from poolscope.base.series import Steps
from poolscope.replay import Op, Program, Workload, World
from poolscope.replay.hill_climbing import HillClimbingKnobs
from poolscope.replay.policies import Fixed, Instant, Net, Net4x, Net11, NetKnobs
from poolscope.replay.simulate import plain_loop, simulate_by

MS = 1e6
S = 1e9
MAX = 32767


def run(workload, policy, cores=2.0):
    return simulate_by(plain_loop, workload, World.constant(policy, cores))


def sleepers(arrival_s, length_s):
    return Workload.single_stretch(np.array(arrival_s) * S, np.broadcast_to(length_s, len(arrival_s)) * S, on_cpu=False)


@pytest.mark.parametrize("later", [0.7, 1.3, 5.0])
def test_a_pool_that_had_nothing_to_do_starves_no_longer_than_a_new_one(later):
    """After its first look without work the gate looks once more and then sleeps. In both cases it comes back in
    time."""
    outcome = run(sleepers([0, *[later] * 3], [0.001, 5, 5, 5]), Net(2, MAX, 2))
    assert 0.5 < (np.sort(outcome.start)[-1] / S - later) < 1.05


def test_an_idle_thread_stays_for_20_s_after_its_last_item_whenever_that_was():
    outcome = run(sleepers([0, 0, 15, 15, 30, 30, 80], 0.1), Net(2, MAX, 2))
    assert outcome.threads.at([29 * S, 40 * S, 50 * S, 51 * S]).tolist() == [2, 2, 2, 0]


def test_a_fixed_pool_never_runs_more_at_once_however_long_it_has_run():
    """Each item parks a thread and wakes the one that has been idle longest."""
    outcome = run(sleepers([*np.arange(60) * 0.1, *[10.0] * 6], 0.05), Fixed(2))
    assert (outcome.start - outcome.arrival)[:60].max() < MS
    assert (outcome.start / S)[60:] == pytest.approx([10, 10, 10.05, 10.05, 10.1, 10.1], abs=0.001)


@pytest.mark.parametrize("policy", [Instant(8), Net11.on(8)], ids=["instant", "net11"])
def test_threads_that_are_idle_already_are_used_before_new_ones_are_made(policy):
    outcome = run(sleepers([*[0.0] * 4, *np.arange(1, 80) * 0.1], 0.05), policy)
    assert outcome.peak_threads == 4
    assert (outcome.start - outcome.arrival).max() < MS


def test_an_idle_thread_of_a_pool_that_does_not_spin_must_be_woken_however_short_it_was_idle():
    """Waking takes 35 to 65 us; the second item comes that long after the end of the first, too."""
    computing = Workload.single_stretch(np.array([0.0, 1.1]) * MS, np.full(2, MS), on_cpu=True)
    outcome = run(computing, Fixed(1))
    assert 0 < 1.1 * MS - outcome.end[0] < 0.09 * MS
    assert (outcome.start - outcome.arrival).min() >= 0.035 * MS


@pytest.mark.parametrize(
    ("windows", "others", "least", "most"),
    [(True, 0.0, 0.5, 1.1), (True, 2.0, 2.0, 3.1), (False, 2.0, 0.5, 1.1)],
    ids=["windows alone", "windows beside others", "linux beside others"],
)
def test_on_windows_the_gate_reads_the_cpu_of_the_whole_machine(windows, others, least, most):
    """Items sleep beside other processes that compute on both cores, or beside none."""
    world = World(Steps.constant(2.0), Steps.constant(others), Net4x(2, 1000, 2, machine_cpu=windows))
    third = np.sort(simulate_by(plain_loop, sleepers([0] * 5, 60), world).start)[2] / S
    assert least < third < most


def test_net11_s_gate_looks_each_half_second_whatever_is_queued_meanwhile():
    outcome = run(sleepers(np.arange(30) * 0.1, 100), Net11.on(2))
    assert (np.sort(outcome.start) / S)[:6] == pytest.approx([0, 0.1, 0.5, 1.0, 1.5, 2.0], abs=0.001)


def test_a_world_whose_steps_change_nothing_changes_nothing():
    """Neither the steps of the cores nor those of the competitors are new limits of the pool."""
    waiting = Workload.in_turn(np.zeros(14), Program.of([[(Op.TASK_WAIT, 0)]] * 14), marks=1)
    policy = Net(2, MAX, 2)
    steps = Steps(np.arange(0, 1000, 7) * MS, np.full(143, 2.0))
    stepped = simulate_by(plain_loop, waiting, World(steps, Steps.constant(0.0), policy))
    assert stepped.start.tolist() == run(waiting, policy).start.tolist()


def test_a_pool_that_may_add_no_thread_stands_still_for_good():
    knobs = NetKnobs(disable_starvation_detection=True, hill_climbing=HillClimbingKnobs(disable=True))
    waiting = Workload.in_turn(np.zeros(3), Program.of([[(Op.WAIT, 0)]] * 3), marks=1)
    outcome = run(waiting, Net(2, MAX, 2, knobs=knobs))
    assert outcome.deadlock and np.isinf(outcome.start).tolist() == [False, False, True]


@pytest.mark.parametrize("arrivals, operations", [(2, 1), (1, 2), (0, 1), (1, 0)])
def test_a_program_has_the_operations_of_each_item_and_no_others(arrivals, operations):
    program = Program(np.array([0, 1]), np.zeros(operations, np.int8), np.zeros(operations), np.full(operations, -1))
    with pytest.raises(ValueError, match="the operations of each item, and no others"):
        run(Workload(np.zeros(arrivals), np.arange(arrivals), program), Fixed(1))


def test_a_flaw_of_one_operation_among_many_is_found():
    for wrong in (-1.0, np.nan):
        program = Program.of([[(Op.CPU, MS), (Op.BLOCKED, wrong), (Op.CPU, MS)]])
        with pytest.raises(ValueError, match="less than 0 ns"):
            run(Workload.in_turn([0.0], program), Fixed(1))


def test_threads_beyond_the_minimum_of_net11_end_one_by_one_after_40_s():
    """Five items of 3 s on two processors: threads come at 0, 0, 0.5, 1 and 1.5 s."""
    outcome = run(sleepers([0, 0, 0, 0, 0, 100], 3), Net11.on(2))
    assert outcome.threads.at(np.array([42.9, 43.1, 43.4, 43.6, 99]) * S).tolist() == [5, 3, 3, 2, 2]


@pytest.mark.parametrize(("cores", "least", "most"), [(4.025, 5.0, 6.1), (3.975, 0.5, 1.1)], ids=["80.5 %", "79.5 %"])
def test_from_80_percent_on_the_gate_waits_a_second_for_each_thread(cores, least, most):
    computing = Workload.single_stretch(np.zeros(8), np.full(8, 30 * S), on_cpu=True)
    sixth = np.sort(run(computing, Net(5, MAX, 5), cores).start)[5] / S
    assert least < sixth < most
