"""Timers of real processes: late if the pool has no thread for them, on time if it has."""

import json

import pytest
from poolscope.base.units import NS_PER_MS
from poolscope.capture.schema import enum
from poolscope.measures.timers import measure_timers

pytestmark = pytest.mark.live

TICK_MS = 16
"""The runtime's timers count in ticks."""
APART_MS = 50
"""Maximum difference between the workload's clock and the events while their threads have cores."""


def late_by_workload(analysis):
    """Returns the delay of the timer by the workload's own clock, ms."""
    told = json.loads((analysis.capture.path / "workload.json").read_text())
    return next(f["value"] for f in told["figures"] if f["name"] == "timer late by")


def without_core(capture, tid, start, end):
    """Returns how long a thread was runnable without a core between two times of the capture's clock, ms."""
    rows = capture.table("thread_states")
    rows = rows[(rows["tid"] == tid) & (rows["state"] == enum("thread_states", "state", "ready"))]
    return (rows["end"].clip(upper=end) - rows["start"].clip(lower=start)).clip(lower=0).sum() / NS_PER_MS


def is_the_workload_s(analysis):
    """Returns whether the measured delay fits the workload's. The workload starts its clock before it starts the timer
    and stops it in the callback, so its time contains ours, except for the runtime's ticks. The difference is time in
    which the thread that starts the timer or the one that calls back had lost its core."""
    capture, own, ours = (
        analysis.capture,
        late_by_workload(analysis),
        measure_timers(analysis.capture).late[0] / NS_PER_MS,
    )
    timer, apart = capture.table("timers").iloc[0], (own - ours) * NS_PER_MS
    lost = without_core(capture, timer["tid"], timer["fired"], timer["fired"] + apart)
    lost += without_core(capture, timer["sent_tid"], timer["sent"] - apart, timer["sent"])
    return -TICK_MS <= own - ours <= APART_MS + lost


def fired(analysis):
    return {f.id for f in analysis.findings}


def test_on_rotor_the_counters_have_every_thread_before_the_timer(captured):
    analysis = captured("count-pool-10", "--pool", "rotor")
    late = next(f for f in analysis.findings if f.id == "late-timers")
    timers = measure_timers(analysis.capture)
    assert (timers.count, timers.unknown) == (1, 0)
    assert is_the_workload_s(analysis)
    assert timers.late[0] > 3e9
    assert timers.waited[0] > 0.9 * timers.late[0]
    assert late.severity == "high"
    assert analysis.verdict.id != "late-timers"


def test_on_the_runtime_s_pool_the_timer_waits_for_the_gate_alone(captured):
    analysis = captured("count-pool-10")
    timers = measure_timers(analysis.capture)
    assert timers.count == 1
    assert is_the_workload_s(analysis)
    assert timers.late[0] < 5e9
    # First of its queue, so the item that runs all timers runs it.
    row = analysis.capture.table("timers").iloc[0]
    item = analysis.capture.table("work_items").iloc[int(row["item"])]
    assert item["work_id"] != row["timer_id"] and item["worker_tid"] == row["tid"]


def test_a_hundred_delays_on_a_pool_with_threads_to_spare_are_on_time(captured):
    analysis = captured("trickle-v3", "--count", "100", "--work-ms", "300")
    timers = measure_timers(analysis.capture)
    assert timers.count >= 100
    assert sorted(timers.late)[len(timers.late) // 2] < TICK_MS * NS_PER_MS
    assert "late-timers" not in fired(analysis)
    assert {r.id: r.status for r in analysis.rules}["late-timers"] == "passed"
