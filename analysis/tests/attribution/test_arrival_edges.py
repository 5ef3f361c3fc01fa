"""An item that another item queued arrives when that item reaches the enqueue, in every world."""

import numpy as np
import pytest
from causal import causal
from synthetic import MS, CaptureBuilder


@pytest.fixture
def builder(tmp_path):
    return CaptureBuilder(tmp_path, length=1000 * MS)


def test_an_item_queued_by_an_item_arrives_at_that_point_of_its_cpu_time(builder):
    builder.item(0, 0, 100 * MS, 200, [("running", 40 * MS), ("ready", 20 * MS), ("running", 40 * MS)])
    builder.item(70 * MS, 80 * MS, 90 * MS, 201, [("running", 10 * MS)], enqueue_tid=200, parent=0)
    found = causal(builder)
    assert found.program(0) == [("CPU", 50), ("ENQUEUE", 1), ("CPU", 30)]
    assert found.workload.arrival.tolist() == [0, np.inf]
    assert found.edges() == [(0, 70, 1, 0, "arrival", "enqueue")]


def test_an_item_queued_by_another_thread_keeps_its_time(builder):
    builder.item(0, 0, 100 * MS, 200, [("running", 100 * MS)])
    builder.item(50 * MS, 50 * MS, 60 * MS, 201, [("running", 10 * MS)], enqueue_tid=100)
    builder.item(150 * MS, 160 * MS, 170 * MS, 201, [("running", 10 * MS)], enqueue_tid=200)  # between its items
    found = causal(builder)
    assert found.workload.arrival.tolist() == [0, 50 * MS, 150 * MS]
    assert found.edges() == []


def test_what_an_inlined_item_queues_comes_with_the_item_that_it_ran_in(builder):
    builder.item(0, 0, 100 * MS, 200, [("running", 100 * MS)])
    builder.item(10 * MS, 20 * MS, 60 * MS, 200, enqueue_tid=200, flags=["inlined"], parent=0)
    builder.item(50 * MS, 50 * MS, 60 * MS, 201, [("running", 10 * MS)], enqueue_tid=200, parent=1)
    found = causal(builder)
    assert found.edges() == [(0, 50, 1, 0, "arrival", "enqueue")]
    assert found.program(0) == [("CPU", 50), ("ENQUEUE", 1), ("CPU", 50)]


def test_where_one_item_follows_another_the_order_of_events_decides(builder):
    builder.item(0, 0, 50 * MS, 200, [("running", 50 * MS)])
    builder.item(0, 50 * MS, 100 * MS, 200, [("running", 50 * MS)])
    builder.item(50 * MS, 60 * MS, 70 * MS, 201, [("running", 10 * MS)], enqueue_tid=200, parent=0)
    assert causal(builder).edges() == [(0, 50, 2, 0, "arrival", "enqueue")]


def test_an_item_queued_while_its_parent_was_blocked_arrives_within_that_time(builder):
    """The kernel reports the block and the runtime the enqueue: they share a clock, but their time stamps differ a
    little."""
    builder.item(0, 0, 100 * MS, 200, [("running", 40 * MS), ("blocked", 20 * MS), ("running", 40 * MS)])
    builder.item(50 * MS, 80 * MS, 90 * MS, 201, [("running", 10 * MS)], enqueue_tid=200, parent=0)
    assert causal(builder).program(0) == [("CPU", 40), ("BLOCKED", 10), ("ENQUEUE", 1), ("BLOCKED", 10), ("CPU", 40)]


def test_an_item_queued_before_the_capture_has_no_cause(builder):
    builder.manifest["target"]["launched"] = False
    builder.item(-1, 20 * MS, 30 * MS, 200, [("running", 10 * MS)], enqueue_tid=201)
    builder.item(0, 0, 50 * MS, 201, [("running", 50 * MS)])
    found = causal(builder)
    assert found.edges() == [] and np.isfinite(found.workload.arrival).all()


def test_an_item_that_never_started_still_arrives_with_its_parent(builder):
    builder.item(0, 0, 100 * MS, 200, [("running", 100 * MS)])
    builder.item(60 * MS, enqueue_tid=200, parent=0)
    found = causal(builder)
    assert found.program(0) == [("CPU", 60), ("ENQUEUE", 1), ("CPU", 40)]
    assert found.program(1) == [("CPU", 100)]


def test_the_later_of_two_items_queued_it_where_the_events_say_so(builder):
    """The enqueue is the item's first act, at the very time when the item before it ended."""
    builder.item(0, 0, 50 * MS, 200, [("running", 50 * MS)])
    builder.item(0, 50 * MS, 100 * MS, 200, [("running", 50 * MS)])
    builder.item(50 * MS, 60 * MS, 70 * MS, 201, [("running", 10 * MS)], enqueue_tid=200, parent=1)
    found = causal(builder)
    assert found.edges() == [(1, 0, 2, 0, "arrival", "enqueue")]
    assert found.program(1) == [("ENQUEUE", 2), ("CPU", 50)]


def test_an_item_that_never_started_takes_nothing_from_the_one_after_it(builder):
    builder.item(0)
    builder.item(MS, MS, 101 * MS, 200, [("running", 40 * MS), ("blocked", 20 * MS), ("running", 40 * MS)])
    builder.item(21 * MS, 30 * MS, 40 * MS, 201, [("running", 10 * MS)], enqueue_tid=200, parent=1)
    assert causal(builder).program(1) == [("CPU", 20), ("ENQUEUE", 2), ("CPU", 20), ("BLOCKED", 20), ("CPU", 40)]


def test_what_an_inlined_item_queues_never_comes_with_an_item_of_another_thread(builder):
    """The first item of the capture runs on another thread meanwhile."""
    builder.item(0, 0, 100 * MS, 300, [("running", 100 * MS)])
    builder.item(1 * MS, 1 * MS, 100 * MS, 200, [("running", 99 * MS)])
    builder.item(10 * MS, 20 * MS, 60 * MS, 200, enqueue_tid=200, flags=["inlined"], parent=1)
    builder.item(50 * MS, 50 * MS, 60 * MS, 201, [("running", 10 * MS)], enqueue_tid=200, parent=2)
    assert causal(builder).edges() == [(1, 49, 2, 0, "arrival", "enqueue")]
