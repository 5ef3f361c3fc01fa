"""Threads that would only take cores from other threads save the pool nothing."""

import numpy as np
import pytest
from poolscope.attribution import attribute
from poolscope.base.series import Steps
from poolscope.executions.capacity import cores_had, is_contested, only_gained
from poolscope.executions.segments import READY, RUNNING, Segments
from synthetic import MS, CaptureBuilder


def delays(*seconds):
    return np.array(seconds, dtype=np.float64)


@pytest.mark.parametrize(
    ("above", "below", "above_own", "below_own", "share"),
    [
        pytest.param((4, 4), (1, 1), (4, 4), (1, 1), 1.0, id="all of it remains"),
        pytest.param((4, 4), (1, 1), (4, 4), (4, 4), 0.0, id="all of it was taken"),
        pytest.param((4, 4), (2, 2), (4, 4), (3, 3), 0.5, id="half"),
        pytest.param((4, 4), (2, 2), (9, 9), (1, 1), 1.0, id="never more than the step"),
        pytest.param((4, 1), (2, 3), (4, 1), (2, 3), 0.0, id="items that change places gain nothing"),
        pytest.param((1, 1), (2, 2), (1, 1), (0, 0), 0.0, id="no step"),
    ],
)
def test_a_step_counts_as_far_as_it_helps_on_the_items_own_cores(above, below, above_own, below_own, share):
    assert only_gained(delays(*above), delays(*below), delays(*above_own), delays(*below_own)) == pytest.approx(share)


@pytest.mark.parametrize(("runnable", "contested"), [(0.0, False), (0.2, False), (0.25, True), (2.0, True)])
def test_others_contest_the_cores_from_a_quarter_of_a_thread_on(runnable, contested):
    assert is_contested(Steps.constant(runnable), 1000.0 * MS) == contested


def test_the_cores_that_items_had_are_those_they_were_on_while_one_of_them_was_ready():
    """Until 100 ms one item runs alone. Until 200 ms one runs and one is ready. Then none does."""
    rows = [(0, 0, 200, RUNNING), (1, 100, 200, READY)]
    item, start, end, state = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    had = cores_had(Segments(item, start * MS, end * MS, state, item * 0), 2.0, Steps.constant(0.0))
    assert [float(had.at(t * MS)) for t in (50, 150, 250)] == [2.0, 1.0, 2.0]


def turns(folder, work, gap, rounds=50):
    """Builds sixteen items at a time for two threads on two cores. Eight of them are queued again as soon as they end,
    and overtake the others, which begin when these are through. Between two items a core is idle for `gap`."""
    builder = CaptureBuilder(folder, length=(rounds * 4 + 5) * (work + gap), launched=False, limits=(2, 32767))
    step = work + gap
    for at in range(rounds * 4):
        for worker in range(2):
            queued = 0 if at < 4 else (at - 4) * step + work
            builder.item(queued, at * step, at * step + work, 200 + worker, [("running", work)])
    for i in range(8):
        at = (rounds * 4 + i // 2) * step
        builder.item(0, at, at + work, 200 + i % 2, [("running", work)])
    return attribute(builder.write())


@pytest.mark.parametrize(("gap", "injection"), [(MS // 2, 0.0), (20 * MS, 0.9)])
def test_behind_full_cores_nothing_waits_for_a_thread(gap, injection, tmp_path):
    """Half a millisecond of every 20 is idle, which would clear the queue within a second if the arrivals stayed as
    they were."""
    parts = turns(tmp_path, 20 * MS, gap).split.parts
    assert parts.injection.sum() / (parts.injection + parts.core).sum() == pytest.approx(injection, abs=0.1)


def test_short_items_behind_a_few_long_ones_gain_from_a_thread_although_the_cores_are_full(tmp_path):
    builder = CaptureBuilder(tmp_path, length=6500 * MS)
    for i in range(2):
        builder.item(0, 0, 6000 * MS, 200 + i, [("running", 6000 * MS)])
    for i in range(20):
        builder.item(0, 6000 * MS + i * 5 * MS, 6005 * MS + i * 5 * MS, 200, [("running", 5 * MS)])
    parts = attribute(builder.write()).split.parts
    assert parts.injection.sum() > 0.9 * parts.wait.sum()


def test_items_wait_for_threads_although_others_fill_the_cores(tmp_path):
    """Two hogs fill two cores while two threads sleep: an item that gets a thread gets its share of a core."""
    builder = CaptureBuilder(tmp_path, length=10_000 * MS)
    for i in range(20):
        at = i // 2 * 1000 * MS
        builder.item(0, at, at + 1000 * MS, 200 + i % 2, [("blocked", 1000 * MS)])
    for hog in (900, 901):
        builder.thread(hog, 999, "hog")
        builder.state(hog, 0, 10_000 * MS, "running")
    parts = attribute(builder.write()).split.parts
    assert parts.injection.sum() > 0.9 * parts.wait.sum()
