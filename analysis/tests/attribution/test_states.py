"""Passes over the thread states; the native extension and NumPy give the same numbers to the bit."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from poolscope import native
from poolscope.base.series import Steps
from poolscope.base.stages import Results
from poolscope.executions import states
from poolscope.executions.segments import BLOCKED, READY, RUNNING
from poolscope.executions.states import ThreadStates, rows_in_state
from ways import NATIVE, way  # noqa: F401

OPENED, CLOSED = 1_000, 3_000
TIDS = (9, 0, 7, 12)
EDGES = np.linspace(0.0, CLOSED - OPENED, 38)
LANE = np.array([0, -1, 1, 1])


class Capture:
    """States of some threads, with gaps between them; they begin before the window and end after it."""

    window = OPENED, CLOSED

    def __init__(self, seed):
        self.kept = Results()
        generator, tables = np.random.default_rng(seed), []
        for tid in TIDS:
            edges = np.unique(generator.integers(OPENED - 300, CLOSED + 300, 200))
            kept = generator.random(len(edges) - 1) < 0.9
            tables.append(pd.DataFrame({"tid": np.int32(tid), "start": edges[:-1][kept], "end": edges[1:][kept]}))
        self.states = pd.concat(tables, ignore_index=True)
        self.states["state"] = generator.integers(0, 3, len(self.states)).astype(np.uint8)

    def table(self, name):
        assert name == "thread_states"
        return self.states

    def within_window(self, time):
        return np.clip(time, OPENED, CLOSED) - OPENED

    def clipped(self, tid, *of):
        """Returns starts and ends of a thread's rows in these states."""
        rows = self.states[(self.states["tid"] == tid) & self.states["state"].isin(of)]
        return tuple(self.within_window(rows[name].to_numpy()) for name in ("start", "end"))


def of(capture: Any) -> ThreadStates:
    return ThreadStates(capture)


def parts_of_one(seed):
    """Returns a step function whose values are no whole numbers."""
    generator = np.random.default_rng(seed)
    return Steps(np.sort(generator.uniform(0, CLOSED - OPENED, 300)), generator.random(300))


@pytest.mark.parametrize("seed", range(4))
def test_means_and_integrals_are_those_of_each_threads_own_rows(way, seed):
    capture, steps = Capture(seed), parts_of_one(seed)
    found = of(capture)
    assert found.tid.tolist() == list(TIDS)
    first, second = (Steps.count(*capture.clipped(tid, RUNNING)).mean(EDGES) for tid in TIDS[2:])
    expected = [Steps.count(*capture.clipped(TIDS[0], RUNNING)).mean(EDGES), first + second]
    np.testing.assert_allclose(found.running_in_bins(LANE, 2, EDGES), expected, atol=1e-9)
    integrals = [steps.integral(*capture.clipped(tid, RUNNING)).sum() for tid in TIDS]
    np.testing.assert_allclose(found.integral_while_running(steps), integrals)


@pytest.mark.parametrize("seed", range(4))
def test_a_thread_is_runnable_while_one_row_follows_another(way, seed):
    capture = Capture(seed)
    threads, ran, (thread, begin, end) = of(capture).runnable()
    assert threads.tolist() == sorted(TIDS)
    for number, tid in enumerate(threads):
        since, until = capture.clipped(tid, RUNNING)
        assert ran[number] == (until - since).sum()
        mine = (thread == number) & (end > begin)  # those outside the window are empty
        assert (begin[mine][1:] > end[mine][:-1]).all()
        whole, parts = Steps.count(begin[mine], end[mine]), Steps.count(*capture.clipped(tid, RUNNING, READY))
        at = np.arange(0, CLOSED - OPENED)
        assert whole.at(at).tolist() == parts.at(at).tolist()


def test_no_lane_with_a_running_thread_has_no_mean(way):
    capture = Capture(1)
    assert of(capture).running_in_bins(np.full(4, -1), 1, EDGES) is None
    capture.states["state"] = np.uint8(BLOCKED)
    assert of(capture).running_in_bins(LANE, 2, EDGES) is None
    assert [len(column) for column in of(capture).runnable()[2]] == [0, 0, 0]
    capture = Capture(1)
    capture.states = capture.states[:0]
    assert of(capture).running_in_bins(LANE[:0], 2, EDGES) is None
    assert len(of(capture).runnable()[0]) == len(of(capture).integral_while_running(parts_of_one(1))) == 0


@pytest.mark.parametrize("chosen", [(), (7,), (9, 12), (5,), TIDS])
def test_the_rows_of_some_threads_in_a_state_are_in_order(chosen):
    capture: Any = Capture(2)
    wanted = (capture.states["state"] == READY) & capture.states["tid"].isin(chosen)
    found = rows_in_state(capture, READY, np.array(chosen, dtype=np.int32))
    assert found.tolist() == np.flatnonzero(wanted).tolist()
    assert rows_in_state(capture, READY).tolist() == np.flatnonzero(capture.states["state"] == READY).tolist()


@NATIVE
@pytest.mark.parametrize("piece", [1, 64, 10_000])
def test_the_extension_and_numpy_give_the_same_bits(monkeypatch, piece):
    monkeypatch.setattr(states, "AT_ONCE", piece)

    def both():
        found = of(Capture(piece))
        threads, ran, intervals = found.runnable()
        return (
            found.running_in_bins(LANE, 2, EDGES),
            found.integral_while_running(parts_of_one(3)),
            threads,
            ran,
            *intervals,
        )

    with_code = both()
    monkeypatch.setattr(native, "extension", None)
    for one, other in zip(with_code, both(), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@NATIVE
def test_a_lane_without_bins_is_refused():
    with pytest.raises(ValueError, match="no bins"):
        of(Capture(1)).running_in_bins(LANE, 1, EDGES)
