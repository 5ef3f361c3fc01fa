"""The time at which an item hands on another one, and the lock that an item held longest. Times are ms."""

import numpy as np
import pytest
from causal import causal
from poolscope.attribution.causes.find import HANDS_ON_NS, Causes
from poolscope.attribution.causes.holds import EVENT, Holds
from synthetic import MS, CaptureBuilder

SOCKETS, ENGINE, THREAD = 150, 7, 200


def engines(builder, *at):
    """Adds further items of the engine, so that the analysis knows it as one object that is queued again and again."""
    for time in at:
        builder.item(time * MS, time * MS, time * MS + 1000, 199, work_id=ENGINE, enqueue_tid=SOCKETS)
    return builder


def test_a_relay_hands_on_as_it_begins_and_what_it_queues_much_later_comes_then(tmp_path):
    """The relay begins at 600. An enqueue up to 20 later still counts as handing on."""
    made = CaptureBuilder(tmp_path, length=2000 * MS).thread(SOCKETS, 100, ".NET Sockets")
    engines(made, 1, 2, 3)
    made.item(100 * MS, 600 * MS, 700 * MS, THREAD, [("running", 100 * MS)], enqueue_tid=SOCKETS, work_id=ENGINE)
    moments = [601 * MS, 600 * MS + HANDS_ON_NS, 600 * MS + HANDS_ON_NS + 1, 690 * MS]
    for k, at in enumerate(moments):
        made.item(at, at, at + MS, 210 + k, [("running", MS)], enqueue_tid=THREAD, parent=3, work_id=100 + k)
    enters = causal(made).causes.enters
    assert enters[4:].tolist() == [600 * MS, 600 * MS, *moments[2:]]


def test_what_a_response_hands_on_moves_with_the_wait_that_it_ends_though_it_is_the_first_item_of_all(tmp_path):
    """A worker is in an item since before the recording and waits for a response. The engine, queued at 40, hands on
    the item that ends that wait at 60."""
    made = CaptureBuilder(tmp_path, length=2000 * MS, launched=False).thread(SOCKETS, 100, ".NET Sockets")
    made.item(40 * MS, 50 * MS, 80 * MS, 201, [("running", 30 * MS)], enqueue_tid=SOCKETS, work_id=ENGINE)
    made.item(51 * MS, 52 * MS, 80 * MS, 202, [("running", 28 * MS)], enqueue_tid=201, parent=0, work_id=50)
    made.state(THREAD, 0, 60 * MS, "blocked").state(THREAD, 60 * MS, 100 * MS, "running")
    made.item(90 * MS, 100 * MS, 110 * MS, THREAD, [("running", 10 * MS)])
    made.born |= {201: 1 * MS, 202: 1 * MS}
    found = causal(engines(made.wakeup(60 * MS, 202, THREAD), 700, 800))
    carried = found.items.count
    assert found.causes.parent[0] == carried, "it comes so long after the wait began as it did"
    assert found.causes.not_before[1] == 0, "and so does what it hands on"


def holds(*rows):
    lock, execution, asked, released = (np.array(column) for column in zip(*rows, strict=True))
    return Holds(lock, execution, asked, released, np.full(len(lock), EVENT), 3, np.zeros(0, dtype=bool))


def lock_of(count, *rows):
    causes = object.__new__(Causes)
    object.__setattr__(causes, "holds", holds(*rows))
    return causes.lock_of(count).tolist()


def test_the_lock_of_an_item_is_the_one_that_it_held_longest():
    """Execution 0 holds lock 1 for 40 ns and later lock 2 for 5; execution 1 the other way round. Execution 2 holds
    none, and 3 is no item."""
    rows = [(1, 0, 10, 50), (2, 0, 90, 95), (1, 1, 10, 15), (2, 1, 50, 90), (0, 3, 0, 100)]
    assert lock_of(3, *rows) == [1, 2, -1]
    assert lock_of(3, *rows[::-1]) == [1, 2, -1]


def test_of_two_locks_held_equally_long_either_counts_but_only_one():
    assert lock_of(1, (1, 0, 10, 20), (2, 0, 30, 40))[0] in (1, 2)
