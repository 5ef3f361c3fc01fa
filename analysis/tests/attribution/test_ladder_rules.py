"""The rules of the ladder, each on the smallest scene in which it matters."""

import numpy as np
import pytest
from poolscope.attribution import attribute
from poolscope.attribution.ladder import _together
from synthetic import MS, CaptureBuilder


def sleepers_at_the_maximum(folder, hog):
    """Splits twenty items of 200 ms on two threads, which are the maximum. If `hog`, another process computes beside
    them."""
    builder = CaptureBuilder(folder, length=2001 * MS, limits=(2, 2))
    for i in range(20):
        start = i // 2 * 200 * MS
        builder.item(0, start, start + 200 * MS, 200 + i % 2, [("running", MS), ("blocked", 199 * MS)])
    if hog:
        for lap in range(200):  # neighbouring states of a thread always differ
            builder.state(900, lap * 10 * MS, lap * 10 * MS + 9 * MS, "running")
            builder.state(900, lap * 10 * MS + 9 * MS, (lap + 1) * 10 * MS, "ready")
    return attribute(builder.write()).split


@pytest.mark.parametrize("hog", [False, True])
def test_items_that_sleep_on_all_the_threads_are_blocking_whoever_else_wants_the_cores(tmp_path, hog):
    split = sleepers_at_the_maximum(tmp_path, hog)
    assert split.parts.wait.sum() == 20 * 900 * MS
    assert split.parts.holding.sum() == pytest.approx(20 * 900 * MS, rel=0.02)


def test_of_an_item_that_never_started_all_that_was_seen_is_delay(tmp_path):
    builder = CaptureBuilder(tmp_path, length=1000 * MS, limits=(1, 1))
    builder.item(0, 0, 1000 * MS, 200, [("blocked", 1000 * MS)])
    builder.item(300 * MS)
    assert attribute(builder.write()).split.ladder.actual.tolist() == [0, 700 * MS]


def test_time_in_which_nobody_was_busy_is_behind_nobody_who_was_blocked(tmp_path):
    """The only thread computes for 500 ms. No thread is busy for the next 500 ms, which is no wait behind blocked
    threads."""
    builder = CaptureBuilder(tmp_path, length=2000 * MS, limits=(1, 32767))
    builder.item(0, 0, 500 * MS, 200, [("running", 500 * MS)])
    builder.item(0, 1000 * MS, 1001 * MS, 201, [("running", MS)])
    split = attribute(builder.write()).split
    assert split.parts.injection.sum() == pytest.approx(500 * MS, rel=0.05)
    assert split.behind_blocked.sum() == 0


def test_items_that_wanted_one_lock_share_what_the_group_is_delayed_by_in_proportion():
    group = np.array([0, 0, -1, 1, 1])
    actual = np.array([300.0, 100.0, 70.0, 0.0, 0.0])
    world = np.array([0.0, 200.0, 60.0, 5.0, 15.0])
    # The first group keeps half of its delay of 400. The second group has no measured delay to share in proportion to.
    assert _together(world, actual, group).tolist() == [150, 50, 60, 5, 15]


def test_a_wait_behind_threads_half_of_which_are_blocked_is_half_behind_blocked_ones(tmp_path):
    builder = CaptureBuilder(tmp_path, length=2000 * MS, limits=(2, 32767))
    builder.item(0, 0, 1000 * MS, 200, [("running", 1000 * MS)])
    builder.item(0, 0, 1000 * MS, 201, [("blocked", 1000 * MS)])
    builder.item(0, 1000 * MS, 1001 * MS, 200, [("running", MS)])
    split = attribute(builder.write()).split
    assert split.parts.injection[2] == pytest.approx(1000 * MS, rel=0.05)
    assert split.behind_blocked[2] == pytest.approx(split.parts.injection[2] / 2, rel=0.01)


def test_behind_the_only_thread_which_is_blocked_all_of_the_wait_is_behind_a_blocked_one(tmp_path):
    builder = CaptureBuilder(tmp_path, length=2000 * MS, limits=(1, 32767))
    builder.item(0, 0, 1000 * MS, 200, [("blocked", 1000 * MS)])
    builder.item(0, 1000 * MS, 1001 * MS, 200, [("running", MS)])
    split = attribute(builder.write()).split
    assert split.behind_blocked.sum() == split.parts.injection.sum() > 400 * MS
