"""Items that queue, delay and wake other items."""

from dataclasses import replace

import numpy as np
import pytest
from poolscope.base.series import Steps
from poolscope.replay import Op, Program, Workload, World, simulate
from poolscope.replay.policies import Allowed, Dedicated, Fixed, Net

MS = 1e6
S = 1e9
ANY_NUMBER = Allowed(Steps.constant(np.inf))


def run(programs, arrival=None, policy=ANY_NUMBER, cores=8.0, marks=0, locks=0):
    times = np.zeros(len(programs)) if arrival is None else np.asarray(arrival, dtype=float)
    return simulate(Workload.in_turn(times, Program.of(programs), marks, locks), World.constant(policy, cores))


def test_an_enqueued_item_arrives_when_its_enqueuer_comes_to_that_point():
    outcome = run([[(Op.CPU, 30), (Op.ENQUEUE, 1), (Op.CPU, 20)], [(Op.CPU, 5)]], [100, np.inf])
    assert outcome.arrival.tolist() == [100, 130]
    assert outcome.end.tolist() == [150, 135]


def test_a_late_enqueuer_brings_its_item_late_in_every_world():
    programs = [[(Op.BLOCKED, 50)], [(Op.CPU, 10), (Op.ENQUEUE, 2)], [(Op.CPU, 1)]]
    one = run(programs, [0, 0, np.inf], Allowed(Steps.constant(1.0)))
    many = run(programs, [0, 0, np.inf])
    assert (one.arrival[2], many.arrival[2]) == (60, 10)


@pytest.mark.parametrize("policy", [ANY_NUMBER, Net(4, 64, 2)])
def test_what_has_not_come_yet_is_not_handed_on(policy):
    program = Program.of([[(Op.CPU, MS), (Op.ENQUEUE, 1), (Op.ENQUEUE, 2)], [(Op.CPU, MS)], [(Op.BLOCKED, MS)]])
    program.value[1] = 50 * MS
    program.value[2] = 0.5 * MS
    work = Workload.in_turn([0, np.inf, np.inf], program)
    outcome = simulate(work, World.constant(policy, 8.0))
    assert outcome.arrival[1] == 50 * MS, "its own time: the enqueuer is long over"
    assert outcome.arrival[2] == pytest.approx(outcome.start[0] + MS), "it had come before the enqueuer was there"
    assert outcome.end[1] > 51 * MS - 1
    assert not outcome.deadlock


def test_what_comes_after_whoever_hands_it_on_needs_another_thread_for_that():
    """Item 3 holds the only thread until 200. The item that comes at 100 is handed on then, and starts after item 4,
    which was queued before."""
    program = Program.of(
        [[(Op.ENQUEUE, 1)], [(Op.CPU, 5 * MS)], [(Op.CPU, MS)], [(Op.BLOCKED, 200 * MS)], [(Op.BLOCKED, 40 * MS)]]
    )
    program.value[0] = 100 * MS
    work = Workload(np.array([0, np.inf, 1, 10, 150]) * MS, np.array([0, 2, 1, 3, 4]), program, stand_ins=True)
    outcome = simulate(work, World.constant(Allowed(Steps.constant(1.0)), 8.0))
    assert outcome.start[3] == 10 * MS
    assert outcome.arrival[1] == 210 * MS == outcome.start[1], "its stand-in waits, too, and in its place of the queue"
    assert outcome.start[4] == 215 * MS
    assert np.isfinite(outcome.end).all()


def test_whatever_is_handed_on_late_arrives_by_itself():
    items = 40
    program = Program.of([[(Op.ENQUEUE, k) for k in range(1, items + 1)], *([[(Op.BLOCKED, 10 * MS)]] * items)])
    program.value[:items] = np.arange(1, items + 1) * 20 * MS
    work = replace(Workload.in_turn([0, *[np.inf] * items], program), stand_ins=True)
    outcome = simulate(work, World.constant(Net(2, 64, 2), 8.0))
    assert np.isfinite(outcome.end).all()
    assert (outcome.arrival[1:] >= program.value[:items]).all()
    assert (outcome.arrival[1:] - program.value[:items]).max() < 0.2 * MS


def answers(programs, arrival, delays, policy=ANY_NUMBER):
    """Returns a workload with answers; `delays` are those of each ANSWER in order, ns."""
    program = Program.of(programs)
    program.value[program.op == Op.ANSWER] = delays
    return simulate(Workload.in_turn(arrival, program), World.constant(policy, 8.0))


@pytest.mark.parametrize("engine_at, answer_after, arrives", [(20, 100, 110), (400, 100, 410)])
def test_what_takes_up_an_answer_needs_the_answer_and_whoever_hands_it_on(engine_at, answer_after, arrives):
    sender, engine, reader = [(Op.CPU, 10), (Op.ANSWER, 2)], [(Op.CPU, 10), (Op.ENQUEUE, 2)], [(Op.CPU, 1)]
    outcome = answers([sender, engine, reader], [0, engine_at, np.inf], [answer_after])
    assert outcome.arrival[2] == arrives


def test_an_answer_to_what_was_sent_later_comes_later():
    sender, engine, reader = [(Op.CPU, 10), (Op.ANSWER, 2)], [(Op.CPU, 10), (Op.ENQUEUE, 2)], [(Op.CPU, 1)]
    outcome = answers([sender, engine, reader], [500, 0, np.inf], [100])
    assert outcome.arrival[2] == 610


def test_the_first_answer_brings_whoever_hands_answers_on_and_no_later_than_by_itself():
    first, second, engine = [(Op.CPU, 10), (Op.ANSWER, 2)], [(Op.CPU, 20), (Op.ANSWER, 2)], [(Op.BLOCKED, 300)]
    assert answers([first, second, engine], [0, 0, 1000], [100, 150]).arrival[2] == 110
    late = answers([first, second, engine], [0, 0, 50], [100, 150])
    assert (late.arrival[2], late.end[2]) == (50, 350), "the answers change nothing of what is under way"


@pytest.mark.parametrize("engine_at, ends", [(20, 110), (400, 410)])
def test_a_wait_for_an_answer_needs_the_answer_and_whoever_hands_it_on(engine_at, ends):
    sender, engine, waiter = [(Op.CPU, 10), (Op.ANSWER_MARK, 0)], [(Op.CPU, 10), (Op.MARK, 0)], [(Op.WAIT, 0)]
    program = Program.of([sender, engine, waiter])
    program.value[program.op == Op.ANSWER_MARK] = 100
    outcome = simulate(Workload.in_turn([0, engine_at, 0], program, marks=1), World.constant(ANY_NUMBER, 8.0))
    assert outcome.end[2] == ends


def test_an_item_whose_answer_nobody_asked_for_is_stuck():
    outcome = answers([[(Op.ENQUEUE, 1)], [(Op.CPU, 1)], [(Op.ANSWER, 1)]], [0, np.inf, np.inf], [100])
    assert outcome.deadlock and outcome.stuck.tolist() == [False, True, True]


def test_an_item_that_nobody_brings_is_stuck():
    outcome = run([[(Op.CPU, 10)], [(Op.CPU, 10)]], [0, np.inf])
    assert outcome.deadlock
    assert outcome.stuck.tolist() == [False, True]
    assert outcome.arrival[1] == outcome.start[1] == np.inf


def test_a_mark_lets_waiters_go_on_and_stays_fired():
    outcome = run(
        [[(Op.WAIT, 0), (Op.CPU, 5)], [(Op.CPU, 40), (Op.MARK, 0), (Op.CPU, 60)], [(Op.WAIT, 0), (Op.CPU, 7)]],
        [0, 0, 1000],
        marks=1,
    )
    assert outcome.end.tolist() == [45, 100, 1007]


@pytest.mark.parametrize("holding", [True, False])
def test_a_lock_passes_to_whoever_has_waited_longest(holding):
    critical = [(Op.ACQUIRE, 0), (Op.CPU, 100), (Op.RELEASE, 0)]
    outcome = run(
        [[(Op.CPU, delay), *critical] for delay in (1, 30, 10, 20)],
        policy=Allowed(Steps.constant(np.inf), holding),
        locks=1,
    )
    assert outcome.end.tolist() == [101, 401, 201, 301]


def test_items_serialise_on_a_lock_however_many_threads_they_have():
    """200 items that hold one lock for 40 ms each: more threads start them at once, and the last one ends no sooner."""
    convoy = [[(Op.ACQUIRE, 0), (Op.BLOCKED, 40 * MS), (Op.RELEASE, 0)]] * 200
    few, many = (run(convoy, policy=Net(least, 32767, 2), cores=2.0, locks=1) for least in (2, 200))
    assert many.start.max() < 50 * MS < 1 * S < few.start.max()
    assert few.end.max() / S == pytest.approx(8.0, rel=0.01)
    assert many.end.max() / S == pytest.approx(8.0, rel=0.01)


def barrier(count):
    """Returns items that each signal and wait for all; the last one's signal is the mark."""
    last = [(Op.CPU, 1e4), (Op.MARK, 0), (Op.WAIT, 0)]
    return [[(Op.CPU, 1e4), (Op.WAIT, 0)]] * (count - 1) + [last]


def test_a_barrier_of_60_needs_60_threads():
    enough = run(barrier(60), policy=Net(2, 60, 2), cores=2.0, marks=1)
    assert not enough.deadlock
    assert 45 < enough.end.max() / S < 62  # measured with the default maximum: about a minute
    too_few = run(barrier(60), policy=Net(2, 59, 2), cores=2.0, marks=1)
    assert too_few.deadlock and too_few.stuck.all()
    assert np.isinf(too_few.start).sum() == 1
    dedicated = run(barrier(60), policy=Dedicated(), cores=2.0, marks=1)
    assert dedicated.end.max() < 10 * MS


@pytest.mark.parametrize("policy", [Fixed(59), Net(59, 59, 2), Allowed(Steps.constant(59.0))])
def test_a_deadlock_is_found_in_every_kind_of_pool(policy):
    assert run(barrier(60), policy=policy, cores=2.0, marks=1).deadlock


@pytest.mark.parametrize("policy", [Fixed(3, holding=False), Net(2, 59, 2, holding=False)])
def test_who_holds_no_thread_while_it_waits_is_in_no_deadlock(policy):
    outcome = run(barrier(60), policy=policy, cores=2.0, marks=1)
    assert not outcome.deadlock
    assert outcome.end.max() < 20 * MS
    assert outcome.peak_threads <= 3


def test_an_item_that_waits_for_one_queued_behind_it_starves_a_pool_of_one_thread():
    programs = [[(Op.ENQUEUE, 1), (Op.TASK_WAIT, 0), (Op.CPU, 1e5)], [(Op.CPU, 1e5), (Op.MARK, 0)]]
    stuck = run(programs, [0, np.inf], Net(1, 1, 1), cores=1.0, marks=1)
    assert stuck.deadlock and np.isinf(stuck.start[1])
    freed = run(programs, [0, np.inf], Net(1, 100, 1), cores=1.0, marks=1)
    assert not freed.deadlock
    assert freed.end.max() < 50 * MS  # cooperative blocking adds a thread at once


def test_sync_over_async_starts_sooner_with_a_higher_minimum():
    """Requests that block on a continuation that is queued behind the other requests."""
    count = 40
    requests = [[(Op.CPU, 1e5), (Op.ENQUEUE, count + k), (Op.WAIT, k), (Op.CPU, 1e5)] for k in range(count)]
    continuations = [[(Op.CPU, 1e5), (Op.MARK, k)] for k in range(count)]
    arrival = np.concatenate((np.zeros(count), np.full(count, np.inf)))
    few, many = (
        run(requests + continuations, arrival, Net(least, 32767, 2), cores=2.0, marks=count) for least in (2, 80)
    )
    assert many.end.max() < 100 * MS
    assert few.end.max() > 10 * S
