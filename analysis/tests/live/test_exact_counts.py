"""The workload forces and counts a prime number of events; every count in the tables equals it."""

import subprocess

import numpy as np
import pytest
from conftest import COLLECT, WORKLOADS
from poolscope.capture import open_capture
from poolscope.capture.schema import enum
from poolscope.measures.truth import verify

pytestmark = [pytest.mark.live, pytest.mark.paired]

ITEMS, THREADS, LOCKS = 1009, 23, 7
CONTENTIONS, EVENT_WAITS, TASK_WAITS = 14, 11, 13


@pytest.fixture(scope="module", params=["auto", "none"])
def capture(request, tmp_path_factory, undisturbed):
    def record():
        folder = tmp_path_factory.mktemp("exact") / "capture"
        command = [COLLECT, "collect", "--kernel", request.param, "-o", folder, "--", WORKLOADS, "run", "exact-counts"]
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return folder

    return open_capture(undisturbed(record))


def cohort(truth, number):
    """Returns the thread and the times of each item in the first, second or third group of 23, in order of their
    numbers."""
    chosen = (truth["id"] >= number * THREADS) & (truth["id"] < (number + 1) * THREADS)
    assert chosen.sum() == THREADS
    return truth["start_tid"][chosen], truth["start_ns"][chosen], truth["end_ns"][chosen]


def during(table, items):
    """Returns the rows of a table with tid and start that began while one of the items ran on their thread."""
    inside = np.zeros(len(table), dtype=bool)
    for tid, start, end in zip(*items, strict=True):
        inside |= ((table["tid"] == tid) & (table["start"] >= start) & (table["start"] <= end)).to_numpy()
    return table[inside]


def waits(capture, kind):
    table = capture.table("waits")
    return table[table["kind"] == enum("waits", "kind", kind)]


def test_items_and_workers(capture):
    truth = capture.truth()
    (generator,) = set(truth["enqueue_tid"])
    items = capture.table("work_items")
    own = items[items["enqueue_tid"] == generator]
    assert len(truth["id"]) == len(own) == ITEMS
    verification = verify(capture)
    assert (verification.items, verification.joined) == (ITEMS, ITEMS)
    assert set(own["worker_tid"]) == set(truth["start_tid"])
    assert own["worker_tid"].nunique() == THREADS
    assert capture.table("workers")["tid"].nunique() == THREADS
    # The kernel's rings hold events of the whole machine: an overflow by other processes costs none of the target's
    # counts.
    losses = capture.table("losses")
    assert losses[losses["stream"] != "sched.perf.data"].empty


def test_contention(capture):
    items = cohort(capture.truth(), 0)
    found = during(waits(capture, "contention"), items)
    assert found["object"].nunique() == LOCKS
    assert len(found) == CONTENTIONS
    assert (found.groupby("object").size() == CONTENTIONS // LOCKS).all()
    assert (found["end"] > found["start"]).all()
    # Items 0 to 6 held the locks while the others came.
    assert set(found["owner_tid"]) == set(items[0][:LOCKS])
    assert set(found["tid"]) == set(items[0][LOCKS : LOCKS + CONTENTIONS])


def test_event_waits(capture):
    items = cohort(capture.truth(), 1)
    found = during(waits(capture, "wait"), items)
    assert len(found) == EVENT_WAITS
    assert set(found["tid"]) == set(items[0][:EVENT_WAITS])
    assert during(waits(capture, "contention"), items).empty
    assert during(waits(capture, "monitor_wait"), items).empty


def test_task_waits(capture):
    items = cohort(capture.truth(), 2)
    tasks = during(capture.table("task_waits"), items)
    assert len(tasks) == TASK_WAITS
    assert tasks["task_id"].nunique() == TASK_WAITS
    assert (tasks["behavior"] == enum("task_waits", "behavior", "synchronous")).all()
    monitors = during(waits(capture, "monitor_wait"), items)
    assert len(monitors) == TASK_WAITS
    assert set(monitors["tid"]) == set(tasks["tid"]) == set(items[0][:TASK_WAITS])
