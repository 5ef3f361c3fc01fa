"""Data read after the client gave up arrived when its bytes came, not at the end of the stream."""

import numpy as np
import pytest
from poolscope.attribution import attribute
from poolscope.attribution.causes.socket_io import load_socket_io
from poolscope.executions.running_at_attach import find_carried
from poolscope.executions.segments import Executions
from synthetic import MS, CaptureBuilder

READER = 200


def arrivals(folder, *transfers, **connection):
    """Returns the arrival of each read's data in ms, in the order of the reads; -1 if no event shows it."""
    builder = CaptureBuilder(folder, length=1000 * MS)
    builder.item(800 * MS, 801 * MS, 990 * MS, READER, [("running", 189 * MS)])
    builder.connection(*((at * MS, *rest) for at, *rest in transfers), **connection)
    capture = builder.write()
    items = attribute(capture).items
    reads = load_socket_io(capture, Executions.of(items, find_carried(capture, items))).reads
    arrived = reads.arrived[np.argsort(reads.time, kind="stable")]
    return np.where(arrived >= 0, arrived / MS, -1).tolist()


@pytest.mark.parametrize(
    ("transfers", "arrived"),
    [
        pytest.param(
            [(100, "arrived", 45), (700, "ended", 0), (900, "read", 45, READER), (901, "end_read", 0, READER)],
            [100, 700],
            id="a client that gave up",
        ),
        pytest.param(
            [
                (100, "arrived", 45),
                (200, "read", 45, READER),
                (300, "arrived", 45),
                (700, "ended", 0),
                (900, "read", 45, READER),
                (901, "end_read", 0, READER),
            ],
            [100, 300, 700],
            id="after an answered request",
        ),
        pytest.param([(700, "ended", 0), (900, "read", 45, READER)], [-1], id="its data came before the recording"),
        pytest.param([(700, "ended", 0), (900, "end_read", 0, READER)], [700], id="nothing but the end"),
    ],
)
def test_the_end_of_a_stream_is_no_arrival_of_data(tmp_path, transfers, arrived):
    assert arrivals(tmp_path, *transfers) == arrived


def test_data_that_lay_unread_before_the_recording_keeps_that_beside_an_end(tmp_path):
    assert arrivals(tmp_path, (700, "ended", 0), (900, "read", 45, READER), unread_at=5 * MS) == [5]
