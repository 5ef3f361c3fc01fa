"""The data that items read from sockets: when it had arrived, and what had been sent before. Times are ms."""

import numpy as np
import pytest
from poolscope.attribution import attribute
from poolscope.attribution.causes.socket_io import Reads
from poolscope.measures.services import load_sockets
from synthetic import MS, CaptureBuilder

TID = 200


@pytest.fixture
def reads_of(tmp_path):
    def load(*connections, unread_at=()):
        """Returns the reads of an item that runs throughout. `unread_at`: when unread data was seen, one for each
        connection."""
        builder = CaptureBuilder(tmp_path, length=1000 * MS)
        builder.item(0, 1 * MS, 990 * MS, TID, [("running", 989 * MS)])
        seen = [*unread_at, *[-1] * (len(connections) - len(unread_at))]
        for transfers, unread in zip(connections, seen, strict=True):
            rows = [(at * MS, what, size, TID) for at, what, size in transfers]
            builder.connection(*rows, unread_at=unread if unread < 0 else unread * MS)
        capture = builder.write()
        return load_sockets(capture, attribute(capture)).reads

    return load


def ms(times):
    return [int(t) // MS if t >= 0 else -1 for t in times]


@pytest.mark.parametrize(
    ("transfers", "arrived"),
    [
        pytest.param([(10, "arrived", 80), (25, "read", 30), (45, "read", 50)], [10, 10], id="one segment in parts"),
        pytest.param(
            [(10, "arrived", 50), (20, "arrived", 50), (25, "read", 60), (45, "read", 40)],
            [20, 20],
            id="the last byte counts",
        ),
        pytest.param(
            [(10, "arrived", 50), (20, "arrived", 50), (25, "read", 40), (30, "read", 10), (45, "read", 50)],
            [20, 10, 20],
            id="exactly the first segment",
        ),
        pytest.param([(10, "arrived", 50), (25, "read", 50), (45, "read", 1)], [10, -1], id="more than had come"),
    ],
)
def test_the_nth_byte_read_is_the_nth_that_arrived(reads_of, transfers, arrived):
    assert ms(reads_of(transfers).arrived) == arrived


def test_a_segment_that_came_twice_does_not_count_twice(reads_of):
    prompt = [row for at in range(40, 220, 20) for row in ((at, "arrived", 50), (at + 1, "read", 50))]
    last = [(500, "arrived", 50), (510, "arrived", 50), (520, "read", 50), (530, "read", 50)]
    reads = reads_of([(30, "arrived", 50), (31, "arrived", 50), (32, "read", 50), *prompt, *last])
    assert ms(reads.arrived)[-2:] == [510, 510]


def test_what_lay_there_before_the_recording_came_when_it_was_seen_and_only_the_first_read_takes_it(reads_of):
    """The second connection is new and had no data in it. Nothing is known about the third."""
    reads = reads_of(
        [(30, "read", 1), (100, "arrived", 80), (101, "read", 80)],
        [(40, "arrived", 5), (41, "read", 5)],
        [(50, "read", 1)],
        unread_at=[7],
    )
    assert reads.socket.tolist() == [0, 1, 2, 0], "one item's, by time"
    assert ms(reads.arrived) == [7, 40, -1, 100]
    assert reads.early.tolist() == [True, False, False, False]


def test_a_single_byte_taken_before_any_arrived_was_there_before(reads_of):
    reads = reads_of([(30, "read", 1)], [(20, "arrived", 5), (41, "read", 5)], unread_at=[7])
    assert reads.early.tolist() == [True, False]
    assert ms(reads.arrived) == [7, 20]


def test_the_end_of_the_other_side_takes_no_byte(reads_of):
    reads = reads_of([(30, "end_read", 0)], [(50, "ended", 0), (60, "end_read", 0)], unread_at=[7])
    assert reads.early.tolist() == [False, False]
    assert ms(reads.arrived) == [-1, 50]


@pytest.mark.parametrize("latest_asked", [3, 40, 400])
@pytest.mark.parametrize("seed", range(5))
def test_the_last_read_of_an_item_up_to_a_time_is_the_one_that_the_definition_names(seed, latest_asked):
    random = np.random.default_rng(seed)
    item, time = random.integers(-1, 4, 20), random.permutation(60)[:20]
    order = np.lexsort((time, item))
    item, time = item[order], time[order]
    never = np.full(20, -1)
    reads = Reads(item, time, never, never, never >= 0, never, never)
    asked, up_to = random.integers(0, 5, 30), random.integers(0, latest_asked, 30)
    row, some = reads.last_up_to(asked, up_to)
    for k in range(30):
        before = [r for r in range(20) if item[r] == asked[k] and time[r] <= up_to[k]]
        assert bool(some[k]) == bool(before)
        if before:
            assert row[k] == before[-1]
