"""The socket engine reads requests itself before it hands them on: each arrived when its bytes did. Times are ms."""

import pytest
from causal import causal
from synthetic import MS, CaptureBuilder

SOCKETS, ENGINE, THREAD = 150, 7, 200
FIRST = 4
"""Row of the first item that is handed on. Before it are three items of the engine and the engine itself."""


@pytest.fixture
def builder(tmp_path):
    """Builds an engine that waits from 100 to 600 and hands on one item each at 601, 603 and 605."""
    made = CaptureBuilder(tmp_path, length=2000 * MS).thread(SOCKETS, 100, ".NET Sockets")
    for k in range(3):
        made.item((k + 1) * MS, (k + 1) * MS, (k + 1) * MS + 1000, 199, work_id=ENGINE, enqueue_tid=SOCKETS)
    made.item(100 * MS, 600 * MS, 610 * MS, THREAD, [("running", 10 * MS)], enqueue_tid=SOCKETS, work_id=ENGINE)
    for k in range(3):
        at = (601 + 2 * k) * MS
        made.item(at, at, at + MS, 210 + k, [("running", MS)], enqueue_tid=THREAD, parent=3, work_id=100 + k)
    return made


def read(builder, came, at, *before, role="accepted"):
    """Adds data that arrived and that the engine read, on a connection of its own."""
    builder.connection(
        *((time * MS, *what) for time, *what in before),
        (came * MS, "arrived", 50),
        (int(at * MS), "read", 50, THREAD),
        role=role,
    )


def came(builder):
    return (causal(builder).causes.not_before[FIRST:] / MS).tolist()


def test_each_had_come_when_its_bytes_did(builder):
    for k, time in enumerate((100, 480, 333)):
        read(builder, time, 600.5 + 2 * k)
    assert came(builder) == [100, 480, 333]


def test_what_was_read_before_the_item_before_is_not_this_ones(builder):
    """The engine read nothing for the second item, so its arrival is drawn at random, the same on every load."""
    read(builder, 100, 600.5)
    read(builder, 480, 604.5)
    times = came(builder)
    assert times[0] == 100 and times[2] == 480
    assert 100 < times[1] < 600


def test_the_last_one_read_is_what_is_handed_on(builder):
    """The engine itself handled the first read, such as the continuation of an answer."""
    read(builder, 200, 600.3)
    read(builder, 480, 600.5)
    assert came(builder)[0] == 480


def test_what_the_engine_itself_had_asked_for_is_its_own(builder):
    read(builder, 601, 602.5, (600, "sent", 20, THREAD), role="connected")
    assert 100 < came(builder)[1] < 600, "drawn: when that came is not known"


def test_what_came_after_the_item_was_queued_is_not_what_it_is_for(builder):
    read(builder, 900, 950)
    assert all(100 <= time < 600 for time in came(builder))


def test_the_engine_is_nobodys_part_of_the_work(builder):
    for k, time in enumerate((100, 480, 333)):
        read(builder, time, 600.5 + 2 * k)
    assert causal(builder).causes.shared.tolist() == [True] * 4 + [False] * 3


def test_an_engine_that_queued_itself_again_hands_on_what_is_older_than_it(tmp_path):
    """The engine waits from 100 to 600, queues itself again and hands on one item. Its next item, on another thread,
    hands on two that came at 150 and 580. Neither they nor that item wait for the later of them."""
    made = CaptureBuilder(tmp_path, length=2000 * MS).thread(SOCKETS, 100, ".NET Sockets")
    for k in range(3):
        made.item((k + 1) * MS, (k + 1) * MS, (k + 1) * MS + 1000, 199, work_id=ENGINE, enqueue_tid=SOCKETS)
    made.item(100 * MS, 600 * MS, 610 * MS, THREAD, [("running", 10 * MS)], enqueue_tid=SOCKETS, work_id=ENGINE)
    made.item(601 * MS, 602 * MS, 610 * MS, 201, [("running", 8 * MS)], enqueue_tid=THREAD, parent=3, work_id=ENGINE)
    for k, at in enumerate((604, 606)):
        made.item(
            at * MS, at * MS, (at + 1) * MS, 210 + k, [("running", MS)], enqueue_tid=201, parent=4, work_id=50 + k
        )
    for came, at in ((150, 603), (580, 605)):
        made.connection((came * MS, "arrived", 50), (at * MS, "read", 50, 201))
    found = causal(made)
    assert (found.causes.not_before[4:] / MS).tolist() == [0, 150, 580]
