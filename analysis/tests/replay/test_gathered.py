"""Objects that are queued once for all events until a thread takes them. Times are ms."""

import numpy as np
import pytest
from poolscope.base.series import Steps
from poolscope.replay import World, simulate
from poolscope.replay.policies import Allowed, Net
from poolscope.replay.workload import Op, Program, Workload

MS = 1_000_000


def one_thread():
    return World.constant(Allowed(Steps.constant(1.0)), 8.0)


def late(times, busy, engine=0):
    """Builds item 0, which hands on an item of 1 ms at each of the times; the last item holds a thread from 1 until
    `busy`."""
    count = len(times)
    programs = [
        [(Op.ENQUEUE, k + 1) for k in range(count)],
        *([[(Op.BLOCKED, MS)]] * count),
        [(Op.BLOCKED, busy * MS - MS)],
    ]
    program = Program.of(programs)
    program.value[:count] = np.array(times) * MS
    arrival = np.array([engine * MS, *[np.inf] * count, MS])
    return Workload(arrival, np.arange(count + 2), program, stand_ins=True)


def test_all_that_comes_while_the_engine_waits_is_handed_on_together():
    outcome = simulate(late([10, 20, 30], busy=100), one_thread())
    assert (outcome.arrival[1:4] / MS).tolist() == [100, 100, 100]
    assert (outcome.start[1:4] / MS).tolist() == [100, 101, 102], "in the order in which they came"


def test_what_comes_after_the_engine_has_run_is_handed_on_by_its_next_item():
    outcome = simulate(late([10, 20, 300], busy=100), one_thread())
    assert (outcome.arrival[1:4] / MS).tolist() == [100, 100, 300]


def awaited_answers(busy, threads, stand_ins):
    """Items 1 and 2 come at 5, ask for answers that take 20 and 25, and block until the engine reports them. Item 0,
    the engine, runs at 0, before any answer. Item 3 holds a thread from 6 until `busy`."""
    waits = [[(Op.ANSWER_MARK, k), (Op.WAIT, k)] for k in (0, 1)]
    program = Program.of([[(Op.MARK, 0), (Op.MARK, 1)], *waits, [(Op.BLOCKED, (busy - 6) * MS)]])
    program.value[program.op == Op.ANSWER_MARK] = np.array([20, 25]) * MS
    arrival = np.array([0, 5, 5, 6]) * float(MS)
    work = Workload(arrival, np.arange(4), program, marks=2, stand_ins=stand_ins)
    return simulate(work, World.constant(Allowed(Steps.constant(float(threads))), 8.0))


@pytest.mark.parametrize(
    "busy, threads, stand_ins, ends",
    [
        (100, 4, True, [25, 30]),  # a thread is free for the engine
        (100, 3, True, [100, 100]),  # the engine gets one at 100 and reports all answers
        (100, 3, False, [25, 30]),
        (28, 3, True, [28, 30]),
    ],
)
def test_threads_that_block_for_the_engine_wait_until_it_gets_a_thread(busy, threads, stand_ins, ends):
    assert (awaited_answers(busy, threads, stand_ins).end[1:3] / MS).tolist() == ends


def test_threads_that_block_for_the_engine_and_leave_it_none_stand_still():
    outcome = awaited_answers(busy=100, threads=2, stand_ins=True)
    assert outcome.deadlock and outcome.stuck.tolist() == [False, True, True, True]
    assert not awaited_answers(busy=100, threads=2, stand_ins=False).deadlock


@pytest.mark.parametrize("policy", [Allowed(Steps.constant(1.0)), Net(1, 8, 2)])
def test_one_item_works_off_what_gathered(policy):
    """Senders 1 to 4 belong to one queue and 5 to another: 2 and 3 come while 1 waits, and 4 after that item is
    through."""
    programs = [[(Op.BLOCKED, 50 * MS)], *([[(Op.BLOCKED, 5 * MS)]] * 5)]
    arrival = np.array([0, 10, 20, 30, 200, 40]) * float(MS)
    queue = np.array([-1, 1, 1, 1, 1, 2])
    work = Workload(arrival, np.arange(6), Program.of(programs), queue=queue)
    outcome = simulate(work, World.constant(policy, 8.0))
    start, end = outcome.start, outcome.end
    assert start[1] == start[2] == start[3] and end[2] == end[3] == start[1], "they have nothing left to do"
    assert end[1] == start[1] + 5 * MS and start[4] >= 200 * MS
    assert start[5] >= end[1] - MS or policy.kind != Allowed(Steps.constant(1.0)).kind
    assert (outcome.arrival == arrival).all() and np.isfinite(end).all()


def test_they_are_picked_in_order_of_arrival_where_that_is_asked_for():
    """The ranks are reversed: of the waiting items item 3 would come first."""
    programs = [[(Op.BLOCKED, 50 * MS)], *([[(Op.BLOCKED, 5 * MS)]] * 3)]
    ranks, arrival = np.array([0, 3, 2, 1]), np.array([0, 10, 20, 30]) * float(MS)
    by_rank = simulate(Workload(arrival, ranks, Program.of(programs)), one_thread())
    in_turn = simulate(Workload(arrival, ranks, Program.of(programs), first_come=True), one_thread())
    assert np.argsort(by_rank.start).tolist() == [0, 3, 2, 1]
    assert np.argsort(in_turn.start).tolist() == [0, 1, 2, 3]
    same = np.array([0, 10, 10, 10]) * float(MS)
    of_one_moment = simulate(Workload(same, ranks, Program.of(programs), first_come=True), one_thread())
    assert np.argsort(of_one_moment.start).tolist() == [0, 3, 2, 1], "then the rank decides"
