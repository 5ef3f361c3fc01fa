"""The decoder's assumption about a thread before its first event is corrected if it cannot be true."""

import numpy as np
import pytest
from poolscope.capture import corrected
from poolscope.executions.competitors import competitors
from poolscope.measures.cores import OTHERS, find_antagonists
from synthetic import BASE, MS, CaptureBuilder


def switch(builder, time, prev, following, cpu=0):
    row = {"time": time, "cpu": cpu, "prev_tid": prev, "prev_state": 1, "next_tid": following}
    builder.rows["switches"].append(row)


def born_unseen(folder, state="running"):
    """Worker 200 holds core 0 for 3 s except for 40 ms. In these, thread 900 runs without an event that shows its
    start, and is first seen as it leaves the core."""
    builder = CaptureBuilder(folder, length=3000 * MS, limits=(1, 1))
    builder.manifest["target"]["cpus_allowed"] = 1
    builder.thread(200, 100, ".NET TP Worker").thread(900, 900, "born")
    work = [("running", 2000 * MS), ("ready", 40 * MS), ("running", 900 * MS)]
    builder.item(0, 0, 2940 * MS, 200, work)
    builder.item(0, 2940 * MS, 2950 * MS, 200, [("running", 10 * MS)])
    builder.state(900, 0, 2040 * MS, state)
    switch(builder, 0, 0, 200)
    switch(builder, 2000 * MS, 200, 77)
    if state == "running":
        switch(builder, 2040 * MS, 900, 200)
    else:
        switch(builder, 2040 * MS, 200, 900)
    switch(builder, 2940 * MS, 200, 0)
    return builder


def of_thread(capture, tid):
    rows = capture.table("thread_states")
    rows = rows[rows["tid"] == tid]
    return [(int(s - BASE) // MS, int(e - BASE) // MS) for s, e in zip(rows["start"], rows["end"], strict=True)]


@pytest.mark.parametrize("state", ["running", "ready"])
def test_a_thread_did_not_run_while_others_came_to_its_core(tmp_path, state):
    capture = born_unseen(tmp_path, state).write()
    assert of_thread(capture, 900) == [(2000, 2040)]
    assert of_thread(capture, 200)[0] == (0, 2000), "it was there from the first switch on"


@pytest.mark.parametrize("others", [0, 1, 2, 3, 30])
def test_the_switch_before_may_be_many_rows_earlier(tmp_path, monkeypatch, others):
    monkeypatch.setattr(corrected, "NEAR", 1)
    builder = born_unseen(tmp_path)
    for k in range(others):
        switch(builder, (2001 + k) * MS, 0, 78, cpu=1)
    builder.rows["switches"].sort(key=lambda row: row["time"])
    assert of_thread(builder.write(), 900) == [(2000, 2040)]


def test_without_the_switch_before_the_table_stays_as_it_is(tmp_path):
    builder = born_unseen(tmp_path)
    builder.rows["switches"] = [row for row in builder.rows["switches"] if row["time"] >= 2040 * MS]
    capture = builder.write()
    assert capture.table("thread_states") is capture.stored("thread_states")


def test_it_is_charged_with_no_more_than_it_can_have_had(tmp_path):
    capture = born_unseen(tmp_path).write()
    assert find_antagonists(capture).held[find_antagonists(capture).tid == 900] == pytest.approx([40 * MS])
    assert find_antagonists(capture).share(OTHERS) == pytest.approx(1.0)
    assert competitors(capture).all.integral(0, 1999.0 * MS) == 0


def test_a_thread_that_no_switch_contradicts_keeps_its_core(tmp_path):
    builder = born_unseen(tmp_path)
    builder.rows["switches"] = [row | {"cpu": 1} for row in builder.rows["switches"] if row["prev_tid"] == 900]
    assert of_thread(builder.write(), 900) == [(0, 2040)]


def test_what_was_assumed_for_less_than_a_period_is_left(tmp_path):
    builder = CaptureBuilder(tmp_path, length=1000 * MS)
    builder.item(0, 100 * MS, 300 * MS, 200, [("running", 200 * MS)])
    builder.state(900, 0, 90 * MS, "ready")
    switch(builder, 50 * MS, 0, 77)
    switch(builder, 90 * MS, 77, 900)
    assert of_thread(builder.write(), 900) == [(0, 90)]
    assert np.isfinite(competitors(builder.write()).all.value).all()
