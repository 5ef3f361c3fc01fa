"""Requests that were never read: the work of other requests is repeated for them. Times are ms."""

import numpy as np
from following import MS, followed
from poolscope.base.series import Steps
from poolscope.replay import World, simulate
from poolscope.replay.policies import Allowed
from poolscope.replay.workload import Op, Program, Workload
from poolscope.whatif.missing import with_missing

FREE = World.constant(Allowed(Steps.constant(np.inf)), cores=np.inf)


def by_the_engine(count):
    """Item 0 hands on `count` items, 10 apart from 0 on; each blocks for 5."""
    program = Program.of([[(Op.ENQUEUE, k + 1) for k in range(count)], *([[(Op.BLOCKED, 5 * MS)]] * count)])
    program.value[:count] = np.maximum(np.arange(count) * 10 * MS, 1)
    work = Workload.in_turn([0, *[np.inf] * count], program)
    return Workload(work.arrival, work.rank, program, shared=np.arange(count + 1) == 0)


def test_each_missing_one_is_done_from_the_time_at_which_it_came():
    requests = followed(range(0, 100, 10), range(1, 11), [300, 333])
    made, requests = with_missing(by_the_engine(10), requests, seed=1)
    outcome = simulate(made, FREE)
    assert made.count == 13
    assert (outcome.arrival[11:] / MS).tolist() == [300, 333] or (outcome.arrival[11:] / MS).tolist() == [333, 300]
    assert ((outcome.end - outcome.start)[11:] == 5 * MS).all()
    latency = requests.latency(outcome, np.arange(made.count))
    assert len(latency) == 12 and np.abs(latency - 5 * MS).max() <= 1, "and each is a request"


def test_the_captured_items_stay_what_they_are():
    work = by_the_engine(10)
    made, _ = with_missing(work, followed(range(0, 100, 10), range(1, 11), range(300, 350)), seed=1)
    before, after = simulate(work, FREE), simulate(made, FREE)
    assert (after.arrival[:11] == before.arrival).all() and (after.end[:11] == before.end).all()
    assert (np.argsort(made.rank[:11]) == np.argsort(work.rank)).all()


def test_the_missing_ones_are_picked_behind_what_had_come_by_then():
    """One thread: a missing request of 25 starts after the captured one of 20 and before that of 30."""
    work = by_the_engine(10)
    made, _ = with_missing(work, followed(range(0, 100, 10), range(1, 11), [25]), seed=1)
    slow = simulate(made, World.constant(Allowed(Steps(np.array([0.0, 95 * MS]), np.array([0.0, 1.0]))), 8.0))
    start = slow.start
    assert start[3] < start[11] < start[4]


def test_like_whom_is_drawn_from_those_before_it():
    takes = [[(Op.BLOCKED, (5 if k < 5 else 50) * MS)] for k in range(10)]
    work = Workload.in_turn(np.arange(10) * 10 * MS, Program.of(takes))
    made, _ = with_missing(work, followed(range(0, 100, 10), range(10), [45] * 40), seed=3)
    assert (made.demand[10:] == 5 * MS).all()


def test_work_that_requests_share_is_not_done_again():
    """The first item queues two requests, so neither of them alone is known. The third stands alone."""
    program = Program.of([[(Op.CPU, MS), (Op.ENQUEUE, 1), (Op.ENQUEUE, 2)], *([[(Op.BLOCKED, 5 * MS)]] * 3)])
    work = Workload.in_turn([0, np.inf, np.inf, 20 * MS], program)
    made, _ = with_missing(work, followed([0, 0, 20], [1, 2, 3], [100, 110]), seed=1)
    assert made.count == 6
    assert with_missing(work, followed([0, 0], [1, 2], [100]), seed=1)[0].count == 4, "nobody to be like"


def test_nothing_is_missing_where_all_was_read():
    work = by_the_engine(10)
    requests = followed(range(0, 100, 10), range(1, 11), [])
    assert with_missing(work, requests, seed=1)[0] is work
