"""A table is read once for all its readers: stages that run side by side request the longest table at the same time."""

import threading
import time

import pandas as pd
import pytest
from poolscope.base.errors import UnreadableCapture
from poolscope.capture.npz import read_table
from synthetic import MS, CaptureBuilder

READ_TABLE = "poolscope.capture.capture.read_table"


@pytest.fixture
def capture(tmp_path):
    builder = CaptureBuilder(tmp_path / "capture", length=10 * MS)
    builder.item(0, MS, 2 * MS, 200, [("running", MS)])
    capture = builder.write()
    capture.table("streams")  # every other table is checked against it
    return capture


@pytest.mark.parametrize("asks", ["table", "stored", "both"])
def test_two_threads_that_ask_at_once_get_one_table(asks, capture, monkeypatch):
    at_once, reads, found = threading.Barrier(2, timeout=30), [], {}

    def slowly(*given):
        reads.append(given)
        time.sleep(0.05)
        return read_table(*given)

    def ask(number):
        way = asks if asks != "both" else ("table", "stored")[number]
        at_once.wait()
        found[number] = getattr(capture, way)("thread_states")

    monkeypatch.setattr(READ_TABLE, slowly)
    threads = [threading.Thread(target=ask, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert len(reads) == 1 and found[0] is found[1]


def test_one_that_cannot_be_read_is_refused_each_time(capture, monkeypatch):
    def damaged(*_):
        raise UnreadableCapture("damaged")

    monkeypatch.setattr(READ_TABLE, damaged)
    for _ in range(2):
        with pytest.raises(UnreadableCapture, match="damaged"):
            capture.table("thread_states")


def test_a_forgotten_one_is_read_again_when_asked_for(capture, monkeypatch):
    before, reads = capture.table("thread_states"), []

    def counted(*given):
        reads.append(given)
        return read_table(*given)

    monkeypatch.setattr(READ_TABLE, counted)
    capture.forget("thread_states", "wakeups")
    assert capture.has("thread_states") and not reads
    again = capture.table("thread_states")
    assert len(reads) == 1 and again is not before
    pd.testing.assert_frame_equal(again, before)
