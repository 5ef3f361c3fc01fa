"""A CPU quota that stops the process."""

import numpy as np
import pytest
from poolscope.capture import open_capture
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder


def fired(analysis):
    return {f.id for f in analysis.findings}


def throttled(folder, per_period, neighbour=False):
    """Builds twenty items of 100 ms of CPU on one worker, which runs 50 ms of every 100 and is then ready."""
    builder = CaptureBuilder(folder, length=4100 * MS, limits=(1, 1))
    builder.manifest["target"]["cpus_allowed"] = 1
    builder.thread(200, 100, ".NET TP Worker").thread(900, 900, "hog")
    for i in range(20):
        builder.item(0, i * 200 * MS, (i + 1) * 200 * MS, 200, [("running", 50 * MS), ("ready", 50 * MS)] * 2)
    for period in range(40):
        start = period * 100 * MS
        builder.rows["throttles"].append(
            {"start": start, "end": start + 100 * MS, "periods": 1, "throttled_periods": 1, "throttled": per_period}
        )
        if neighbour:
            builder.state(900, start + 50 * MS, start + 100 * MS, "running")
    return builder


@pytest.mark.fires("cgroup-throttled")
def test_a_quota_that_stopped_the_workers_is_the_verdict_whoever_ran_meanwhile(tmp_path):
    analysis = analyse(throttled(tmp_path, 50 * MS, neighbour=True).write())
    assert analysis.verdict.id == "cgroup-throttled"
    assert analysis.evidence.throttled_share == pytest.approx(1.0)
    assert "40 enforcement periods" in analysis.findings[0].evidence[0]
    assert "noisy-neighbour" not in fired(analysis)
    # The quota stopped the worker half of the time; in the other half the queue waited for the worker's own work.
    cost = {f.id: f.item_seconds for f in analysis.findings}
    core = analysis.evidence.item_seconds(analysis.attribution.split.parts.core)
    assert cost["cgroup-throttled"] == pytest.approx(0.5 * core, rel=0.01)
    assert cost["core-contention"] == pytest.approx(0.5 * core, rel=0.01)
    assert analysis.findings[0].predicted == [], "the replay of this made-up run is off by 40 %"


def test_the_quota_is_a_limit_of_every_world(tmp_path):
    analysis = analyse(throttled(tmp_path, 50 * MS).write())
    assert analysis.coverage.replay_error == pytest.approx(0, abs=0.02)
    assert analysis.verdict.id == "cgroup-throttled"
    assert fired(analysis) == {"cgroup-throttled", "core-contention"}


def test_it_is_charged_with_its_part_only(tmp_path):
    analysis = analyse(throttled(tmp_path, 20 * MS, neighbour=True).write())
    cost = {f.id: f.item_seconds for f in analysis.findings}
    core = analysis.evidence.item_seconds(analysis.attribution.split.parts.core)
    # Half of the time the worker itself was on the core, and the queue waited for its work.
    assert cost["cgroup-throttled"] == pytest.approx(0.2 * core, rel=0.01)
    assert cost["noisy-neighbour"] == pytest.approx(0.3 * core, rel=0.01)
    assert cost["core-contention"] == pytest.approx(0.5 * core, rel=0.01)


def test_a_worker_that_is_stopped_for_a_twentieth_of_the_time_waits_for_its_own_work(tmp_path):
    """The quota causes all of the time without a core, but that is little: the queue waits for items that compute."""
    builder = CaptureBuilder(tmp_path, length=4100 * MS, limits=(1, 1))
    builder.manifest["target"]["cpus_allowed"] = 1
    builder.thread(200, 100, ".NET TP Worker")
    for i in range(20):
        builder.item(0, i * 200 * MS, (i + 1) * 200 * MS, 200, [("running", 95 * MS), ("ready", 5 * MS)] * 2)
    for period in range(40):
        row = {"start": period * 100 * MS, "end": (period + 1) * 100 * MS, "periods": 1}
        builder.rows["throttles"].append(row | {"throttled_periods": 1, "throttled": 5 * MS})
    analysis = analyse(builder.write())
    assert analysis.evidence.throttled_share == pytest.approx(1.0)
    assert analysis.verdict.id == "core-contention"
    assert "cgroup-throttled" not in fired(analysis), "a twentieth of the wait, below a tenth"


def test_only_what_waited_while_it_stopped_the_workers_is_charged_to_it(tmp_path):
    """Throttled in the first second, crowded by the process's own threads in the second: each item pays for its own
    time."""
    builder = CaptureBuilder(tmp_path, length=2100 * MS, limits=(1, 1))
    builder.manifest["target"]["cpus_allowed"] = 1
    builder.thread(200, 100, ".NET TP Worker").thread(101, 100, "own")
    for i in range(2):
        start = i * 1000 * MS
        builder.item(start, start, start + 900 * MS, 200, [("ready", 800 * MS), ("running", 100 * MS)])
        builder.item(start, start + 900 * MS, start + 910 * MS, 200, [("running", 10 * MS)])
    builder.state(101, 1000 * MS, 1800 * MS, "running")
    # The kernel records a stop when it ends: here one reading after it began.
    for period in range(1, 9):
        row = {"start": period * 100 * MS, "end": (period + 1) * 100 * MS, "periods": 1}
        builder.rows["throttles"].append(row | {"throttled_periods": 1, "throttled": 100 * MS})
    builder.rows["throttles"].append(
        {"start": 0, "end": 100 * MS, "periods": 1, "throttled_periods": 0, "throttled": 0}
    )
    evidence = analyse(builder.write()).evidence
    share = evidence.core_by_throttling / np.maximum(evidence.lack_of_cores, 1)
    assert share[1] == pytest.approx(800 / 900, rel=0.02) and share[3] == 0


@pytest.mark.quiet("cgroup-throttled")
def test_no_throttling_is_passed_and_no_table_is_not_applicable(tmp_path):
    builder = throttled(tmp_path, 50 * MS)
    builder.rows["throttles"].clear()
    analysis = analyse(builder.write())
    status = {r.id: r.status for r in analysis.rules}
    assert status["cgroup-throttled"] == "passed"
    (tmp_path / "tables" / "throttles.npz").unlink()
    without = analyse(open_capture(tmp_path))
    assert {r.id: r.status for r in without.rules}["cgroup-throttled"] == "not-applicable"
