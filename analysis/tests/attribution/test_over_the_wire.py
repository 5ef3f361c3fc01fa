"""When the data behind a handed-on item came over its socket, and which item asked for it: by the definition, on rows
in any order. Times are ns from the start of the window."""

import numpy as np
import pytest
from poolscope.attribution.causes.answers import find_wire
from poolscope.attribution.causes.origins import OUTSIDE
from poolscope.attribution.causes.relays import Fired, Relays
from poolscope.attribution.causes.socket_io import (
    ACCEPTED,
    CONNECTED,
    Connects,
    Reads,
    Sends,
    SocketIo,
    without_sockets,
)
from poolscope.executions.items import Items

ENGINE = 3
"""The row of the relay. Each test defines rows 0 to 2 and those after it."""


def table(kind, rows, *types):
    columns = list(zip(*rows, strict=True)) or [()] * len(types)
    return kind(*(np.array(column, dtype=type_) for column, type_ in zip(columns, types, strict=True)))


def wire_of(enqueue, parent, *, reads=(), sends=(), connects=(), arrivals=(), role=(ACCEPTED,) * 4):
    """Returns what the wire shows about items queued at `enqueue`, each by the item in `parent`.

    `reads`: (item, time, socket, arrived, sent, sender); `sends`: (socket, time, item); `connects`: (socket, time,
    item, connected); `arrivals`: (socket, time).
    """
    count = len(enqueue)
    zero, no = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=bool)
    at = np.array(enqueue)
    items = Items(np.arange(count), at, at, at + 1, zero, zero, no, no, no, np.argsort(np.argsort(at)))
    parent = np.array(parent)
    engine = np.arange(count) == ENGINE
    relays = Relays(np.where(engine, ENGINE, -1), np.where(engine, at, -1), np.where(parent == ENGINE, ENGINE, -1))
    none = without_sockets()
    rows = [(item, time, socket, arrived, False, sent, by) for item, time, socket, arrived, sent, by in sorted(reads)]
    io = SocketIo(
        np.array(role),
        none.local,
        none.remote,
        table(Reads, rows, int, int, int, int, bool, int, int),
        table(Sends, sorted(sends), int, int, int),
        table(Connects, connects, int, int, int, int),
        np.array([socket for socket, _ in arrivals], dtype=int),
        np.array([time for _, time in arrivals], dtype=int),
        np.full(len(role), -1),
    )
    nothing = np.zeros(0, dtype=np.int64)
    return find_wire(items, parent, relays, io, Fired(*[nothing] * 6))


def read(item, time, socket, arrived, sent=-1, sender=OUTSIDE):
    return item, time, socket, arrived, sent, sender


def test_each_item_stands_for_the_first_thing_that_it_read():
    """Items 0 and 1, handed on at 100, read twice each, from two sockets."""
    reads = [read(0, 110, 0, 50), read(0, 120, 1, 60), read(1, 111, 2, 70), read(1, 121, 3, 80)]
    arrivals = [(0, 50), (1, 60), (2, 70), (3, 80)]
    wire = wire_of([100, 100, 90, 40], [ENGINE, ENGINE, OUTSIDE, OUTSIDE], reads=reads, arrivals=arrivals)
    assert wire.came.tolist() == [50, 70, -1, -1]
    assert wire.socket.tolist() == [0, 2, -1, -1]


def test_what_an_item_reads_that_it_queued_is_what_it_was_handed_on_for():
    """The engine hands on 0, which queues 1, which queues 2, which reads. No item queued item 4: it reads for
    itself."""
    reads = [read(2, 130, 1, 55), read(4, 110, 0, 20)]
    parent = [ENGINE, 0, 1, OUTSIDE, OUTSIDE]
    wire = wire_of([100, 101, 102, 40, 60], parent, reads=reads, arrivals=[(0, 20), (1, 55)])
    assert wire.came.tolist() == [55, -1, -1, -1, -1]


@pytest.mark.parametrize("handed_on", [0, 1])
def test_what_comes_from_nowhere_reads_for_no_item_that_was_handed_on(handed_on):
    """The other item has no parent, so it reads for itself, whichever row the engine handed on."""
    other = 1 - handed_on
    parent = [OUTSIDE] * 4
    parent[handed_on] = ENGINE
    wire = wire_of([100, 100, 90, 40], parent, reads=[read(other, 110, 0, 50)], arrivals=[(0, 50)])
    assert wire.came.tolist() == [-1] * 4
    assert wire.floor[other] == 50, "it cannot have arrived before what it reads"


def test_what_the_engine_reads_may_have_lain_there_from_the_first_moment_on():
    wire = wire_of([100, 90, 91, 0], [ENGINE, *[OUTSIDE] * 3], reads=[read(ENGINE, 95, 0, 0)], arrivals=[(0, 0)])
    assert wire.came[0] == 0 and wire.socket[0] == 0


def test_an_answer_is_what_came_first_after_the_question_and_after_the_read_before():
    """Item 0 reads a first part that came at 10 and 14, and then data that came from 20 to 24. Item 1 asked at 30, and
    its answer begins at 40."""
    reads = [read(0, 15, 0, 14), read(0, 25, 0, 24), read(1, 45, 0, 44, 30, 2)]
    arrivals = [(0, 44), (0, 10), (0, 14), (0, 20), (0, 24), (0, 40)]
    sends = [(0, 30, 2)]
    wire = wire_of([50, 50, 5, 1], [OUTSIDE] * 4, reads=reads, arrivals=arrivals, sends=sends, role=(CONNECTED,))
    assert wire.reads.came.tolist() == [10, 20, 40]
    assert wire.reads.asked_by.tolist() == [OUTSIDE, OUTSIDE, 2]
    assert wire.reads.asked.tolist() == [-1, -1, 30]


def test_a_connection_brings_who_uses_it_first():
    """Item 2 asked at 5 and 6 for two connections, which were there at 10 and 30. The engine hands on 0 and 1, which
    use them: item 0 is the first to send on socket 0 and item 1 on socket 1, before any answer is read."""
    wire = wire_of(
        [100, 101, 1, 40],
        [ENGINE, ENGINE, OUTSIDE, OUTSIDE],
        sends=[(0, 110, 0), (1, 111, 1)],
        reads=[read(2, 120, 0, 119), read(2, 121, 1, 120)],
        connects=[(0, 5, 2, 10), (1, 6, 2, 30)],
        arrivals=[(0, 119), (1, 120)],
        role=(CONNECTED, CONNECTED),
    )
    assert wire.came.tolist() == [10, 30, -1, -1]
    assert wire.asked_by.tolist() == [2, 2, OUTSIDE, OUTSIDE]
    assert wire.asked.tolist() == [5, 6, -1, -1]
    assert wire.socket.tolist() == [-1] * 4, "what came is the connection itself"


def test_where_no_bytes_were_seen_nothing_is_told():
    wire = wire_of([100, 100, 90, 40], [ENGINE, *[OUTSIDE] * 3], connects=[(0, 5, 2, 10)])
    assert wire.came.tolist() == [-1] * 4
