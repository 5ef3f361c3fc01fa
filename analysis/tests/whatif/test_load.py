"""The same work at another rate: groups of items stay whole, and the rate keeps its shape."""

import numpy as np
import pytest
from poolscope.replay.workload import Op, Program, Workload
from poolscope.whatif.load import groups
from loaded import at_load

MS = 1_000_000.0


def steady(count, gap=10 * MS):
    return Workload.in_turn(np.arange(count) * gap, Program.of([[(Op.CPU, MS)]] * count))


def chained(pairs):
    """Returns pairs of items: each even item enqueues the next one and waits for its mark."""
    items, arrival = [], []
    for i in range(pairs):
        items += [[(Op.CPU, MS), (Op.ENQUEUE, 2 * i + 1), (Op.WAIT, i)], [(Op.CPU, MS), (Op.MARK, i)]]
        arrival += [i * 10 * MS, np.inf]
    return Workload(np.array(arrival), np.arange(2 * pairs), Program.of(items), marks=pairs)


def test_the_captured_load_is_the_workload_itself():
    workload = steady(5)
    loaded = at_load(workload, 1.0, seed=1)
    assert loaded.workload is workload and loaded.origin.tolist() == list(range(5))
    assert loaded.largest_group == 0.0, "nothing is kept or repeated"


@pytest.mark.parametrize("load", [0.1, 0.5, 1.25, 1.5, 2.0, 3.7])
def test_the_number_of_items_is_what_was_asked_for(load):
    assert at_load(steady(1000), load, seed=3).workload.count == pytest.approx(1000 * load, abs=1)


@pytest.mark.parametrize("load", [0.5, 1.5])
def test_the_rate_keeps_its_shape(load):
    """Four times as many items in the second half stay four times as many."""
    arrival = np.concatenate((np.arange(200) * 40 * MS, 8000 * MS + np.arange(800) * 10 * MS))
    made = at_load(Workload.in_turn(arrival, Program.of([[(Op.CPU, MS)]] * 1000)), load, seed=1).workload
    early = np.count_nonzero(made.arrival < 8000 * MS)
    assert early == pytest.approx(200 * load, rel=0.06)
    assert made.count - early == pytest.approx(800 * load, rel=0.06)


def test_no_rhythm_of_the_arrivals_is_picked_out():
    """For two alternating kinds half of each is kept, not all of one kind."""
    kept = at_load(steady(1000), 0.5, seed=1).origin
    assert np.count_nonzero(kept % 2) == pytest.approx(250, abs=40)


def test_a_burst_stays_a_burst_and_a_stream_a_stream():
    burst = Workload.in_turn(np.zeros(50), Program.of([[(Op.CPU, MS)]] * 50))
    assert (at_load(burst, 2.0, seed=1).workload.arrival == 0).all()
    stream = np.sort(at_load(steady(100), 2.0, seed=1).workload.arrival)
    assert len(np.unique(stream)) > 190, "copies come between, not together"
    assert np.diff(stream).max() <= 10 * MS


def test_the_seed_decides_and_nothing_else():
    one, two, other = (at_load(steady(100), 1.5, seed=s) for s in (1, 1, 2))
    assert (one.workload.arrival == two.workload.arrival).all() and (one.origin == two.origin).all()
    assert not np.array_equal(one.origin, other.origin)


@pytest.mark.parametrize("load", [0.5, 1.5, 3.0])
def test_items_that_enqueue_and_wake_each_other_are_copied_as_one(load):
    loaded = at_load(chained(40), load, seed=5)
    made, program = loaded.workload, loaded.workload.program
    owner = np.repeat(np.arange(made.count), np.diff(program.first))
    enqueues, waits, marks = (program.op == op for op in (Op.ENQUEUE, Op.WAIT, Op.MARK))
    assert made.count == 2 * made.marks == pytest.approx(80 * load, abs=2)
    # Each child is queued by one parent, which is a copy of its own parent.
    assert sorted(program.target[enqueues]) == sorted(np.flatnonzero(np.isinf(made.arrival)))
    assert (loaded.origin[program.target[enqueues]] == loaded.origin[owner[enqueues]] + 1).all()
    # It fires the mark that this parent waits for, and no other item fires that mark.
    assert len(set(program.target[marks])) == made.marks
    fired_by = dict(zip(program.target[marks], owner[marks]))
    child_of = dict(zip(owner[enqueues], program.target[enqueues]))
    assert all(fired_by[mark] == child_of[item] for mark, item in zip(program.target[waits], owner[waits]))


def test_groups_are_what_hangs_together():
    group, mark_group = groups(chained(3))
    assert group.tolist() == [0, 0, 1, 1, 2, 2]
    assert mark_group.tolist() == [0, 1, 2]


def test_locks_are_shared_by_all_copies():
    items = [[(Op.ACQUIRE, 0), (Op.CPU, MS), (Op.RELEASE, 0)]] * 4
    workload = Workload.in_turn(np.arange(4) * MS, Program.of(items), locks=1)
    made = at_load(workload, 2.0, seed=1).workload
    assert made.locks == 1 and set(made.program.target[made.program.op != Op.CPU]) == {0}


def test_what_had_come_one_nanosecond_after_the_start_moves_with_its_copies():
    workload = chained(10)
    limited = np.flatnonzero(workload.program.op == Op.ENQUEUE)
    workload.program.value[limited[::2]] = 1.0
    made = at_load(workload, 2.0, seed=1)
    program = made.workload.program
    rows = np.flatnonzero(program.op == Op.ENQUEUE)
    by = np.repeat(np.arange(made.workload.count), np.diff(program.first))[rows]
    later = made.workload.arrival[by] - workload.arrival[made.origin[by]]
    assert later.max() > 0
    # 0 is no time: such an item arrives when it is queued.
    assert program.value[rows].tolist() == np.where(made.origin[by] % 4 == 0, 1 + later, 0).tolist()


def test_what_was_carried_into_the_capture_is_there_once():
    workload = steady(20)
    carried = np.array([18, 19])
    for load in (0.1, 5.0):
        origin = at_load(workload, load, seed=1, kept=carried).origin
        assert [np.count_nonzero(origin == i) for i in carried] == [1, 1]


def test_copies_are_picked_right_after_their_originals():
    made = at_load(steady(10), 2.0, seed=1)
    assert (made.origin[np.argsort(made.workload.rank)] == np.repeat(np.arange(10), 2)).all()
