"""Bytes followed from their arrival to their read."""

import numpy as np
import pytest
from poolscope.measures.socket_reads import read_waits
from synthetic import MS, CaptureBuilder

TID = 200


def reads_of(folder, *connections, unread_at=-1):
    builder = CaptureBuilder(folder, length=1000 * MS)
    builder.item(0, MS, 2 * MS, TID, [("running", MS)])
    for transfers in connections:
        builder.connection(*((int(at * MS), *rest) for at, *rest in transfers))
        builder.rows["sockets"][-1]["unread_at"] = unread_at
    return read_waits(builder.write())


@pytest.mark.parametrize(
    ("transfers", "waits"),
    [
        pytest.param([(10, "arrived", 80), (25, "read", 80, TID)], [15], id="one segment, one read"),
        pytest.param(
            [(10, "arrived", 80), (20, "arrived", 40), (25, "read", 120, TID)], [15, 5], id="one read for two"
        ),
        pytest.param(
            [(10, "arrived", 80), (25, "read", 30, TID), (45, "read", 50, TID)], [15], id="its first byte counts"
        ),
        pytest.param(
            [(10, "arrived", 50), (20, "arrived", 50), (25, "read", 60, TID), (45, "read", 40, TID)],
            [15, 5],
            id="a read across two",
        ),
        pytest.param(
            [(10, "arrived", 80), (25, "read", 80, TID), (400, "arrived", 7)], [15, 600], id="unread to the end"
        ),
        pytest.param([(10, "arrived", 80)], [990], id="never read"),
        pytest.param(
            [(10, "sent", 80, TID), (20, "arrived", 5), (21, "read", 5, TID)], [1], id="what is sent is no arrival"
        ),
        pytest.param(
            [(10, "arrived", 80), (25, "read", 85, TID), (25.5, "arrived", 5)], [15, 0], id="it came while the read ran"
        ),
        pytest.param(
            [(10, "arrived", 80), (25, "read", 80, TID), (25.5, "arrived", 5), (500, "read", 5, TID)],
            [15, 474.5],
            id="it came just after the read, and waited",
        ),
    ],
)
def test_waits(tmp_path, transfers, waits):
    found = reads_of(tmp_path, [*transfers, (990, "sent", 1, TID)])
    assert (found.wait / MS).tolist() == waits
    assert (found.connections, found.followed) == (1, 1)


@pytest.mark.parametrize(
    "transfers",
    [
        pytest.param([(10, "arrived", 80), (12, "arrived", 80), (25, "read", 80, TID)], id="a segment that came twice"),
        pytest.param(
            [(10, "read", 5, TID), (20, "arrived", 80), (25, "read", 80, TID)], id="data of before the recording"
        ),
    ],
)
def test_a_connection_whose_bytes_do_not_add_up_tells_nothing(tmp_path, transfers):
    found = reads_of(tmp_path, transfers, [(10, "arrived", 80), (11, "read", 80, TID)])
    assert (found.connections, found.followed) == (2, 1)
    assert found.socket.tolist() == [1] and (found.wait / MS).tolist() == [1]


def answers(first, count, *, behind=0.0):
    """Returns an answer every 20 ms: 9 bytes that a waiting thread reads 1 ms after they arrived plus `behind` ms."""
    times = [first + 20 * number for number in range(count)]
    return [row for at in times for row in ((at, "arrived", 9), (at + 1 + behind, "read", 9, TID))]


SENT_TWICE = [(22, "arrived", 9), (23, "arrived", 9)]
"""TCP takes no byte of the second segment: the acknowledgement of the first was late."""


def test_a_segment_that_came_twice_is_taken_out_of_what_follows(tmp_path):
    found = reads_of(
        tmp_path, [*SENT_TWICE, (24, "read", 9, TID), *answers(40, 9), (420, "arrived", 9), (900, "read", 9, TID)]
    )
    assert (found.connections, found.followed) == (1, 1)
    assert (found.wait / MS).tolist() == [1, *[1] * 9, 480]


def test_one_of_several_unread_segments_may_have_come_twice(tmp_path):
    held = [(at, "arrived", 9) for at in (22, 30, 40, 45, 50)]
    found = reads_of(tmp_path, [*held, (100, "read", 36, TID), *answers(120, 10)])
    assert found.followed == 1
    # It is unknown which segments came twice, so no segment waits longer than it may have.
    assert (found.wait / MS).tolist() == [70, 60, 55, 50, *[1] * 10]


def test_each_segment_that_came_twice_counts_from_then_on(tmp_path):
    again = [(at + 280, *rest) for at, *rest in SENT_TWICE]
    transfers = [*SENT_TWICE, (24, "read", 9, TID), *answers(40, 10), *again, (304, "read", 9, TID), *answers(320, 10)]
    found = reads_of(tmp_path, transfers)
    assert found.followed == 1
    assert (found.wait / MS).tolist() == [1] * 22


def test_a_reader_that_is_always_one_answer_behind_leaves_it_unread(tmp_path):
    """The reader does not wait for new data, so no event shows that the unread data came twice."""
    found = reads_of(tmp_path, [(22, "arrived", 9), *answers(40, 20, behind=9)])
    assert (found.connections, found.followed) == (1, 0)


@pytest.mark.parametrize(
    ("transfers", "waits", "reader"),
    [
        pytest.param([(500, "read", 80, TID)], [498], TID, id="read later"),
        pytest.param([(990, "sent", 1, TID)], [998], -1, id="never read"),
        pytest.param([(1, "read", 80, TID)], [998], -1, id="not by what was read before"),
    ],
)
def test_data_that_the_collector_found_waits_from_then_on(tmp_path, transfers, waits, reader):
    found = reads_of(tmp_path, transfers, unread_at=2 * MS)
    assert (found.wait / MS).tolist() == waits and found.reader.tolist() == [reader]
    assert found.read.tolist() == [reader == TID]


def test_who_read_last_is_who_lets_the_rest_lie(tmp_path):
    found = reads_of(tmp_path, [(10, "arrived", 8), (11, "read", 8, TID), (20, "arrived", 9)], [(30, "arrived", 5)])
    assert found.reader.tolist() == [TID, TID, -1]


def test_many_connections_each_by_itself(tmp_path):
    rng = np.random.default_rng(1)
    waits = rng.integers(1, 50, 200)
    found = reads_of(
        tmp_path, *([(i, "arrived", 10 + i), (i + int(w), "read", 10 + i, TID)] for i, w in enumerate(waits))
    )
    assert (found.wait / MS).tolist() == waits.tolist()
    assert found.mean_ms == pytest.approx(waits.mean())


def test_without_sockets_nothing_is_claimed(tmp_path):
    assert reads_of(tmp_path) is None
