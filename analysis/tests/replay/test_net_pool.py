"""The pool of .NET 6 to 10, compared with series measured on Linux with .NET 10 (start times in ms)."""

import numpy as np
import pytest
from poolscope.base.series import Steps
from poolscope.replay import Op, Program, Workload, World, simulate
from poolscope.replay.hill_climbing import HillClimbingKnobs
from poolscope.replay.policies import Net, NetKnobs

S = 1e9
MS = 1e6
STARVATION, TIMED_OUT, COOPERATIVE = 6, 7, 8
MAX = 32767


def sleepers(count, ns):
    return Workload.single_stretch(np.zeros(count), np.full(count, float(ns)), on_cpu=False)


def starts_ms(outcome):
    return np.sort(outcome.start) / MS


def run(workload, policy, cores=2.0, seed=0):
    return simulate(workload, World.constant(policy, cores, seed=seed))


def test_sleeping_items_get_a_thread_each_second_or_half():
    each = []
    for seed in range(20):
        starts = starts_ms(run(sleepers(30, 60 * S), Net(2, MAX, 2), seed=seed))
        assert starts[1] < 10
        assert 500 < starts[2] < 1050
        each.append(np.diff(starts)[2:])
    gaps = np.concatenate(each)
    short = np.abs(gaps - 502) < 8
    assert (short | (np.abs(gaps - 1002) < 8)).all()
    # Measured: 17 of 20 gaps were 1.0 s, 3 were 0.5 s; mean 0.93 s.
    assert gaps.mean() == pytest.approx(930, rel=0.05)
    assert 0.05 < short.mean() < 0.25


def waiting_for_a_task(count):
    return Workload.in_turn(np.zeros(count), Program.of([[(Op.TASK_WAIT, 0)]] * count), marks=1)


@pytest.mark.parametrize("seed", range(5))
def test_items_that_wait_for_a_task_start_in_growing_steps(seed):
    starts = starts_ms(run(waiting_for_a_task(14), Net(2, MAX, 2), seed=seed))
    assert (starts[:4] < 10).all()
    measured = [31, 56, 107, 157, 233, 309, 409, 510, 636, 761]
    assert np.abs(starts[4:] - measured).max() <= 10


@pytest.mark.parametrize("seed", range(5))
def test_on_8_processors_16_that_wait_start_at_once(seed):
    starts = starts_ms(run(waiting_for_a_task(24), Net(8, MAX, 8), seed=seed))
    assert (starts[:16] < 10).all()
    assert np.abs(starts[16:] - [30, 56, 81, 107, 132, 158, 183, 209]).max() <= 10


def test_a_wait_that_is_none_of_a_task_s_gets_no_thread_of_its_own():
    """Measured with Task.WaitAll: 4, 4, 1004, 2005 ms, like sleeping items."""
    waits = Workload.in_turn(np.zeros(5), Program.of([[(Op.WAIT, 0)]] * 5), marks=1)
    outcome = run(waits, Net(2, MAX, 2))
    assert starts_ms(outcome)[2] > 500
    assert set(outcome.goal_changes.reason) == {STARVATION}


def test_a_wait_for_a_task_that_something_outside_ends_is_one_all_the_same():
    """The same starts as with a mark that never fires. When the wait ends, its thread is subtracted again."""
    blocked = Workload.in_turn(np.zeros(14), Program.of([[(Op.TASK_BLOCKED, 5 * S)]] * 14))
    outcome = run(blocked, Net(2, MAX, 2))
    assert starts_ms(outcome).tolist() == starts_ms(run(waiting_for_a_task(14), Net(2, MAX, 2))).tolist()
    assert blocked.demand.tolist() == [5 * S] * 14
    assert not outcome.deadlock
    assert outcome.goal_changes.goal[-1] < outcome.goal_changes.goal.max()


def test_threads_added_for_blocked_tasks_are_taken_back():
    programs = [[(Op.TASK_WAIT, 0), (Op.CPU, MS)] for _ in range(6)]
    workload = Workload.in_turn(
        np.append(np.zeros(6), S), Program.of([*programs, [(Op.CPU, MS), (Op.MARK, 0)]]), marks=1
    )
    outcome = run(workload, Net(2, MAX, 2))
    goals = outcome.goal_changes.goal[outcome.goal_changes.reason == COOPERATIVE]
    assert not outcome.deadlock
    assert goals.max() >= 7
    assert (np.diff(goals) < 0).any() or goals[-1] < goals.max()


def test_computing_items_make_the_gate_wait_a_second_for_each_thread():
    """Measured: 8 x 3 s of computing on 2 cores; the third thread comes after 2508 ms."""
    thirds = []
    for seed in range(9):
        workload = Workload.single_stretch(np.zeros(8), np.full(8, 3 * S), on_cpu=True)
        thirds.append(starts_ms(run(workload, Net(2, MAX, 2), seed=seed))[2])
    assert np.median(thirds) == pytest.approx(2508, abs=15)
    assert min(thirds) > 1990


def steady_progress():
    """Builds 100 items of 1 s; the first ones are shorter, so that from then on the four threads end in turn."""
    ns = np.full(100, S)
    ns[:4] = [0.25 * S, 0.5 * S, 0.75 * S, S]
    return Workload.single_stretch(np.zeros(100), ns, on_cpu=False)


def test_items_that_end_in_turn_keep_the_gate_from_adding_threads():
    """Measured twice: mean wait 10.30 s, maximum 21.3 s, a fifth thread from 5.5 to 16.5 s (hill climbing's wave)."""
    outcome = run(steady_progress(), Net(4, MAX, 2))
    assert (outcome.start / S).mean() == pytest.approx(10.30, rel=0.02)
    assert outcome.start.max() / S == pytest.approx(21.3, rel=0.02)
    assert STARVATION not in outcome.goal_changes.reason
    assert outcome.peak_threads == 5
    off = NetKnobs(hill_climbing=HillClimbingKnobs(disable=True))
    without = run(steady_progress(), Net(4, MAX, 2, knobs=off))
    assert without.peak_threads == 4
    assert (without.start / S).mean() == pytest.approx(11.5, rel=0.03)


def test_a_trickle_under_a_maximum_waits_as_measured():
    """1000 items that sleep for 500 ms, one every 10 ms, at most 10 threads: measured mean wait 38 s; with min 10, 19.7
    s."""
    trickle = Workload.single_stretch(np.arange(1000) * 10 * MS, np.full(1000, 500 * MS), on_cpu=False)
    waits = [(o.start - o.arrival).mean() / S for o in (run(trickle, Net(least, 10, 2)) for least in (2, 10))]
    assert waits[0] == pytest.approx(38, rel=0.05)
    assert waits[1] == pytest.approx(19.7, rel=0.02)


def test_busy_threads_leave_a_request_that_gets_a_useless_thread():
    """Measured: 2 items that sleep for 2.6 s with min 2 end with 3 threads, although no item was queued for the
    third."""
    outcome = run(sleepers(2, 2.6 * S), Net(2, MAX, 2))
    assert outcome.peak_threads == 3
    assert outcome.goal_changes.reason.tolist() == [STARVATION]


def test_threads_come_by_a_chain_of_wake_ups():
    warm = run(sleepers(40, S), Net(40, MAX, 2, warm_threads=40))
    cold = run(sleepers(40, S), Net(40, MAX, 2))
    assert np.diff(np.sort(warm.start)).mean() == pytest.approx(50e3, rel=0.15)
    assert np.diff(np.sort(cold.start)).mean() == pytest.approx(150e3, rel=0.15)


def test_idle_threads_end_after_their_timeout():
    workload = Workload.single_stretch(np.array([0.0] * 8 + [60 * S]), np.full(9, 0.1 * S), on_cpu=False)
    outcome = run(workload, Net(8, MAX, 2))
    assert outcome.threads.at([10 * S, 19 * S]).tolist() == [8, 8]
    assert outcome.threads.at(30 * S) == 0
    kept = run(workload, Net(8, MAX, 2, knobs=NetKnobs(threads_to_keep_alive=3)))
    assert kept.threads.at(30 * S) == 3


def test_raising_the_minimum_while_it_runs_raises_the_goal_at_once_and_lowering_it_does_not():
    raised = Steps(np.array([0.0, 300 * MS]), np.array([2.0, 20.0]))
    outcome = run(sleepers(20, 5 * S), Net(raised, MAX, 2))
    starts = starts_ms(outcome)
    assert starts[1] < 10 and starts[2] >= 300 and starts[-1] < 310
    lowered = Steps(np.array([0.0, 300 * MS]), np.array([20.0, 2.0]))
    assert (starts_ms(run(sleepers(40, 0.4 * S), Net(lowered, MAX, 2)))[:40] < 500).all()


def test_without_starvation_detection_sleepers_wait_for_each_other():
    knobs = NetKnobs(disable_starvation_detection=True, hill_climbing=HillClimbingKnobs(disable=True))
    outcome = run(sleepers(6, 3 * S), Net(2, MAX, 2, knobs=knobs))
    assert starts_ms(outcome)[2] > 3000
    assert outcome.peak_threads == 2
