"""Copies of items, one by one: their operations, their arrival, and their order in the queue."""

import numpy as np
import pytest
from poolscope.replay.workload import Op, Program, Workload
from poolscope.whatif.load import groups
from loaded import at_load

MS = 1_000_000.0
KIND = {
    Op.ENQUEUE: "item",
    Op.MARK: "mark",
    Op.WAIT: "mark",
    Op.TASK_WAIT: "mark",
    Op.ACQUIRE: "lock",
    Op.RELEASE: "lock",
}


def tangle(seed, count=60):
    """Returns items of 0 to 3 operations each. Some operations queue, wake or await neighbours; every third enqueue has
    a time limit."""
    random = np.random.default_rng(seed)
    arrival = np.cumsum(random.integers(1, 9, count)) * MS
    programs = []
    for item in range(count):
        program = [(Op.CPU, float(random.integers(1, 9)) * MS) for _ in range(random.integers(0, 3))]
        if item % 5 == 1 and item + 1 < count:
            program.append((Op.ENQUEUE, item + 1))
            arrival[item + 1] = np.inf
            program.append((Op.TASK_WAIT, item // 5))
        if item % 5 == 2:
            program += [(Op.ACQUIRE, 0), (Op.BLOCKED, MS), (Op.RELEASE, 0), (Op.MARK, item // 5)]
        programs.append(program)
    made = Program.of(programs)
    limited = np.flatnonzero(made.op == Op.ENQUEUE)[::3]
    made.value[limited] = arrival[np.repeat(np.arange(count), np.diff(made.first))[limited]] + 2 * MS
    return Workload.in_turn(arrival, made, marks=count // 5 + 1, locks=1)


@pytest.mark.parametrize("load", [0.4, 1.7, 2.0, 3.0])
@pytest.mark.parametrize("seed", range(3))
def test_each_copy_does_what_its_original_does_with_copies_of_its_own_group(seed, load):
    workload = tangle(seed)
    loaded = at_load(workload, load, seed)
    made, old = loaded.workload, workload.program
    assert made.flaw is None
    group, _ = groups(workload)
    later = np.full(made.count, np.nan)
    for new, origin in enumerate(loaded.origin):
        rows = range(made.program.first[new], made.program.first[new + 1])
        its = range(old.first[origin], old.first[origin + 1])
        assert [made.program.op[r] for r in rows] == [old.op[r] for r in its]
        if np.isfinite(made.arrival[new]):
            later[new] = made.arrival[new] - workload.arrival[origin]
            assert later[new] == round(later[new]) >= 0
        for row, from_row in zip(rows, its, strict=True):
            kind = KIND.get(int(old.op[from_row]))
            if kind == "item":
                child = made.program.target[row]
                assert loaded.origin[child] == old.target[from_row]
                limit, before = made.program.value[row], old.value[from_row]
                assert limit == (before + later[new] if before > 0 else before)
            elif kind == "lock":
                assert made.program.target[row] == old.target[from_row]
            elif kind is None:
                assert made.program.value[row] == old.value[from_row]
    # All members of one group have the same number of copies.
    copies = np.bincount(loaded.origin, minlength=workload.count)
    assert all(len(set(copies[group == g])) == 1 for g in np.unique(group))
    assert {int(c) for c in copies} <= {int(np.floor(load)), int(np.ceil(load))}


@pytest.mark.parametrize("load", [2.0, 2.5])
def test_a_copy_comes_before_the_next_group_and_the_original_at_its_own_time(load):
    workload = tangle(1)
    loaded = at_load(workload, load, 7)
    group, _ = groups(workload)
    begin = np.array([workload.arrival[group == g].min() for g in np.unique(group)])
    order = np.sort(begin)
    seen = set()
    for new in np.flatnonzero(np.isfinite(loaded.workload.arrival)):
        origin = loaded.origin[new]
        later = loaded.workload.arrival[new] - workload.arrival[origin]
        if origin not in seen:
            assert later == 0
            seen.add(origin)
            continue
        own = begin[group[origin]]
        at = int(np.searchsorted(order, own))
        gaps = [order[at + 1] - own if at + 1 < len(order) else np.inf, own - order[at - 1] if at else np.inf]
        assert later <= min(gaps)
    assert len(np.unique(loaded.workload.arrival)) > len(np.unique(workload.arrival)), "copies come between"


def test_ranks_are_the_old_order_with_copies_in_turn_and_begin_where_the_old_ones_began():
    workload = tangle(2)
    ranks = workload.rank - 3  # three were carried into the capture
    moved = Workload(workload.arrival, ranks, workload.program, workload.marks, workload.locks)
    loaded = at_load(moved, 2.0, 1)
    assert sorted(loaded.workload.rank) == list(range(-3, loaded.workload.count - 3))
    order = np.argsort(loaded.workload.rank)
    assert (np.diff(ranks[loaded.origin[order]]) >= 0).all()


def test_groups_hang_together_by_enqueues_and_marks_alone():
    workload = tangle(0)
    group, marks = groups(workload)
    expected = np.arange(workload.count)
    expected[2::5] = expected[1::5][: len(expected[2::5])]  # an item that is queued, and one whose mark is awaited
    assert len(np.unique(group)) == len(np.unique(expected))
    assert all((group[i] == group[j]) == (expected[i] == expected[j]) for i in range(20) for j in range(20))
    assert all(marks[item // 5] == group[item] for item in range(2, workload.count, 5))


def test_a_mark_that_nobody_touches_is_there_once_and_in_nobody_s_way():
    """This once raised IndexError."""
    workload = Workload.in_turn(np.arange(40) * MS, Program.of([[(Op.CPU, MS)]] * 40), marks=3)
    made = at_load(workload, 2.5, 1).workload
    assert (made.count, made.marks, made.flaw) == (100, 3, None)


def test_the_largest_group_is_told_as_a_share():
    assert at_load(tangle(0), 2.0, 1).largest_group == pytest.approx(2 / 60)
