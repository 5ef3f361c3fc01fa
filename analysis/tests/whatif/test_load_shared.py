"""Other loads of work that the runtime's own items hand on. Times are ms."""

from typing import Any

import numpy as np
import pytest
from poolscope.base.series import Steps
from poolscope.replay import World, simulate
from poolscope.replay.policies import Allowed
from poolscope.replay.workload import Op, Program, Workload
from poolscope.whatif.load import groups, without_exclusive
from loaded import at_load

MS = 1_000_000.0
FREE = World.constant(Allowed(Steps.constant(np.inf)), cores=np.inf)


def engine(count):
    """Item 0 hands on `count` items, 10 apart from 100 on. Each blocks for 5 and marks its end, for which the next one
    waits."""
    handed = [[(Op.BLOCKED, 5 * MS)] for _ in range(count)]
    program = Program.of([[(Op.CPU, 1 * MS), *((Op.ENQUEUE, k + 1) for k in range(count))], *handed])
    program.value[program.op == Op.ENQUEUE] = 100 * MS + np.arange(count) * 10 * MS
    arrival = np.array([100 * MS, *[np.inf] * count])
    return shared(Workload.in_turn(arrival, program), 0)


def shared(workload, *items):
    return Workload(
        workload.arrival,
        workload.rank,
        workload.program,
        workload.marks,
        workload.locks,
        np.isin(np.arange(workload.count), items),
    )


def test_what_one_item_hands_on_is_not_one_piece_of_work():
    group, _ = groups(engine(20))
    assert len(np.unique(group)) == 21
    together = engine(20)
    group, _ = groups(Workload.in_turn(together.arrival, together.program))
    assert len(np.unique(group)) == 1


@pytest.mark.parametrize("load, count", [(0.5, 100), (1.5, 300), (3.0, 600)])
def test_the_item_that_hands_on_is_there_once_and_has_every_copy(load, count):
    loaded = at_load(engine(200), load, 1)
    made = loaded.workload
    assert made.flaw is None and (loaded.origin == 0).sum() == 1
    assert made.count - 1 == pytest.approx(count, abs=1)
    rows = slice(made.program.first[0], made.program.first[1])
    brought = made.program.target[rows][made.program.op[rows] == Op.ENQUEUE]
    assert sorted(brought) == list(range(1, made.count)), "each copy once"
    outcome = simulate(made, FREE)
    assert np.isfinite(outcome.end).all()
    own = 100 * MS + (loaded.origin[1:] - 1) * 10 * MS
    later = np.sort(outcome.arrival[1:] - own)
    assert later[0] >= 0 and later[-1] <= 11 * MS, "up to the next one's time"


def test_the_first_copy_comes_when_the_captured_one_did():
    loaded = at_load(engine(50), 2.0, 1)
    outcome = simulate(loaded.workload, FREE)
    first = np.unique(loaded.origin, return_index=True)[1][2:]
    assert (outcome.arrival[first] == 100 * MS + np.arange(1, 50) * 10 * MS).all()


def test_what_hands_on_to_one_piece_of_work_alone_belongs_to_it():
    """One engine's item for every second item: together with the item it hands on it is one group with one number of
    copies."""
    pair: list[list[tuple[int, float]]] = [[(Op.ENQUEUE, 0)], [(Op.CPU, MS)]]
    program = Program.of(pair * 10)
    program.target[program.op == Op.ENQUEUE] = np.arange(1, 20, 2)
    arrival = np.where(np.arange(20) % 2 == 0, np.arange(20) * 10 * MS, np.inf)
    work = shared(Workload.in_turn(arrival, program), *range(0, 20, 2))
    assert not without_exclusive(work).shared.any()
    loaded = at_load(work, 2.0, 1)
    assert np.bincount(loaded.origin).tolist() == [2] * 20
    assert np.isfinite(simulate(loaded.workload, FREE).end).all()


def test_one_that_only_dropped_ones_would_have_brought_comes_when_they_would_have():
    """20 items that each queue an engine's item, which hands on two others: at half the load none may be stuck."""
    programs: list[list[tuple[int, float]]] = []
    arrival: list[float] = []
    for k in range(20):
        at = 4 * k
        programs += [
            [(Op.ENQUEUE, at + 1)],
            [(Op.ENQUEUE, at + 2), (Op.ENQUEUE, at + 3)],
            [(Op.CPU, MS)],
            [(Op.CPU, MS)],
        ]
        arrival += [k * 10 * MS, np.inf, np.inf, np.inf]
    work = shared(Workload.in_turn(arrival, Program.of(programs)), *range(1, 80, 4))
    for seed in range(5):
        loaded = at_load(work, 0.5, seed)
        outcome = simulate(loaded.workload, FREE)
        assert (loaded.origin % 4 == 1).sum() == 20
        assert np.isfinite(outcome.end).all()
        engines = loaded.origin % 4 == 1
        assert outcome.arrival[engines].tolist() == [k * 10 * MS for k in range(20)]


def test_marks_that_a_shared_item_fires_are_fired_for_every_copy():
    """The engine's item fires the marks that twenty others wait for."""
    programs: list[Any] = [
        [(Op.BLOCKED, 50 * MS), *((Op.MARK, k) for k in range(20))],
        *([(Op.WAIT, k)] for k in range(20)),
    ]
    work = Workload.in_turn([0, *(np.arange(20) * MS)], Program.of(programs), marks=20)
    for load in (0.5, 2.0):
        loaded = at_load(shared(work, 0), load, 3)
        outcome = simulate(loaded.workload, FREE)
        assert np.isfinite(outcome.end).all() and (outcome.end[1:] >= 50 * MS).all()
