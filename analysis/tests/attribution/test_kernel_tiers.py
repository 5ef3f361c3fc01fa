"""The same run through a lesser kernel tier gives the same cause, or says why it reports none."""

import pytest
from poolscope.executions.competitors import competitors
from poolscope.product import analyse
from poolscope.report.sections.verdict import coverage_line
from synthetic import MS, CaptureBuilder


def queue_of_twenty(folder, tier, states):
    """Analyses twenty items on two workers, one after the other, each with these states."""
    length = sum(duration for _, duration in states)
    builder = CaptureBuilder(folder, length=10 * length + MS, limits=(2, 2), tier=tier)
    for i in range(20):
        start = (i // 2) * length
        builder.item(0, start, start + length, 200 + i % 2, states)
    return analyse(builder.write())


def two_cores_for_three(folder, tier):
    """Analyses three workers that compute on two cores."""
    builder = CaptureBuilder(folder, length=3001 * MS, limits=(3, 3), tier=tier)
    part = {True: ("running", 100 * MS), False: ("ready", 100 * MS)}
    for i in range(30):
        worker, start = i % 3, (i // 3) * 300 * MS
        builder.item(0, start, start + 300 * MS, 200 + worker, [part[third != worker] for third in range(3)])
    return analyse(builder.write())


def sleepers(folder, tier):
    return queue_of_twenty(folder, tier, [("running", 1 * MS), ("blocked", 199 * MS)])


@pytest.mark.parametrize("capture, verdict", [(two_cores_for_three, "core-contention"), (sleepers, "blocked-at-cap")])
def test_the_verdict_under_switch_is_that_of_tracepoint_with_less_confidence(tmp_path, capture, verdict):
    full, own = capture(tmp_path / "full", "tracepoint"), capture(tmp_path / "own", "switch")
    assert (full.verdict.id, own.verdict.id) == (verdict, verdict)
    shares = [analysis.to_json()["attribution"]["wait_share"] for analysis in (full, own)]
    assert shares[1] == pytest.approx(shares[0], abs=0.05)
    assert own.verdict.confidence == "medium"
    assert not any("tier" in reason for reason in full.verdict.reasons)


@pytest.mark.parametrize("tier, expected", [("switch", 2.0), ("tracepoint", 0.0)])
def test_a_core_that_a_ready_thread_does_not_get_is_held_by_somebody_unseen(tmp_path, tier, expected):
    builder = CaptureBuilder(tmp_path, length=300 * MS, tier=tier)
    builder.item(0, 0, 300 * MS, 200, [("running", 300 * MS)])
    builder.item(0, 0, 300 * MS, 201, [("running", 100 * MS), ("ready", 100 * MS), ("running", 100 * MS)])
    # The process has one of two cores from 100 to 200 ms while one of its threads waits: two threads that get half of
    # the cores share them with two others. With tracepoints no other thread was there, so it is a gap.
    found = competitors(builder.write()).all.at([50 * MS, 150 * MS, 250 * MS])
    assert found.tolist() == [0.0, expected, 0.0]


def test_coverage_says_what_switch_cannot_tell(tmp_path):
    analysis = queue_of_twenty(tmp_path, "switch", [("running", 1 * MS), ("blocked", 199 * MS)])
    said = " ".join(analysis.verdict.reasons)
    assert "counts as blocked" in said and "does not show which other process" in said and "tracepoint" in said
    coverage = analysis.to_json()["coverage"]
    assert coverage["tier"] == "switch"
    # No waker is known, so all blocked time has none. It must not be 0, which would mean that everything is known.
    assert coverage["unknown_blocked_ms"] == pytest.approx(20 * 199)
    line = {c.text: c.good for c in coverage_line(coverage)}
    assert line["kernel tier: switch (own threads, no wake-ups)"] is False


def test_a_trace_of_windows_is_the_whole_system_in_one_file(tmp_path):
    states = [("running", 190 * MS), ("ready", 10 * MS)]
    linux = queue_of_twenty(tmp_path / "linux", "tracepoint", states).to_json()
    windows = queue_of_twenty(tmp_path / "windows", "etw", states).to_json()
    assert windows["coverage"]["tier"] == "etw"
    for key in ("items", "attribution", "verdict", "antagonists"):
        assert windows[key] == linux[key]
    line = {c.text: c.good for c in coverage_line(windows["coverage"])}
    assert line["kernel tier: etw (everything)"] is True


def test_events_that_a_trace_lost_count_for_runtime_and_scheduler(tmp_path):
    builder = CaptureBuilder(tmp_path, length=300 * MS, tier="etw", lost=7)
    builder.item(0, 0, 300 * MS, 200, [("running", 300 * MS)])
    coverage = analyse(builder.write()).to_json()["coverage"]
    assert (coverage["lost"], coverage["lost_scheduler"]) == (7, 7)


def test_with_scope_target_nobody_else_is_named_and_coverage_says_so(tmp_path):
    builder = CaptureBuilder(tmp_path, length=2001 * MS, limits=(2, 2))
    builder.manifest["streams"] = [{"file": "sched.perf.data", "tier": "tracepoint", "scope": "target"}]
    builder.thread(200, 100, ".NET TP Worker")
    for i in range(20):
        start = (i // 2) * 200 * MS
        builder.item(0, start, start + 200 * MS, 200 + i % 2, [("running", 5 * MS), ("ready", 5 * MS)] * 20)
    analysis = analyse(builder.write())
    # Each worker got half a core; unknown threads had the other half.
    assert analysis.verdict.id == "noisy-neighbour"
    assert analysis.verdict.confidence == "medium"
    assert "does not name the others" in " ".join(analysis.findings[0].evidence)
    assert any("--scope system" in reason for reason in analysis.verdict.reasons)
    said = analysis.to_json()
    assert (said["antagonists"], said["coverage"]["scope"]) == (None, "target")
    assert {r["id"]: r["status"] for r in said["rules"]}["noisy-neighbour"] == "fired"
    # Each of two workers got half a core of two, as if two more threads had shared them.
    assert competitors(analysis.capture).all.at([50 * MS, 150 * MS]) == pytest.approx([2.0, 2.0])
    line = {c.text: c.good for c in coverage_line(said["coverage"])}
    assert line["kernel tier: tracepoint (own threads and who woke them)"] is False
