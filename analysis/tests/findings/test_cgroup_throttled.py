"""A CPU quota that stops the process."""

import pytest
from poolscope.capture import open_capture
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder


def fired(analysis):
    return {f.id for f in analysis.findings}


def throttled(folder, per_period, neighbour=False):
    """Twenty items of 100 ms of CPU on one worker, which runs 50 ms of every 100 and is then ready."""
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
    assert not fired(analysis) & {"noisy-neighbour", "core-contention"}


def test_the_quota_is_a_limit_of_every_world(tmp_path):
    analysis = analyse(throttled(tmp_path, 50 * MS).write())
    assert analysis.coverage.model_error == pytest.approx(0, abs=0.02)
    assert fired(analysis) == {"cgroup-throttled"}


def test_it_is_charged_with_its_part_only(tmp_path):
    analysis = analyse(throttled(tmp_path, 10 * MS, neighbour=True).write())
    cost = {f.id: f.item_seconds for f in analysis.findings}
    core = analysis.evidence.item_seconds(analysis.attribution.split.parts.core)
    assert cost["cgroup-throttled"] == pytest.approx(0.2 * core, rel=0.01)
    # Half of the time the worker itself was on the core, and what was queued waited for that.
    assert cost["noisy-neighbour"] == pytest.approx(0.4 * core, rel=0.01)
    assert analysis.verdict.id == "noisy-neighbour"


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
