"""Items that wait while the runtime is suspended."""

import json

import pytest
from poolscope.capture import open_capture
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder


def batch(folder, suspended=True, reason=1, **options):
    """Builds eight items on two cores, and a suspension of 400 ms that begins while the first two run."""
    builder = CaptureBuilder(folder, length=2000 * MS, **options)
    for i in range(8):
        worker = 200 + i % 2
        if i < 2:
            builder.item(0, 0, 410 * MS, worker, [("running", MS), ("blocked", 400 * MS), ("running", 9 * MS)])
        else:
            start = 410 * MS + (i // 2 - 1) * 10 * MS
            builder.item(0, start, start + 10 * MS, worker, [("running", 10 * MS)])
    return builder.suspension(MS, 401 * MS, reason) if suspended else builder


def fired(analysis):
    return {f.id for f in analysis.findings}


@pytest.mark.fires("runtime-suspended")
def test_waiting_for_the_end_of_a_suspension_is_runtime_suspended(tmp_path):
    analysis = analyse(batch(tmp_path).write())
    assert analysis.verdict.id == "runtime-suspended"
    finding = next(f for f in analysis.findings if f.id == "runtime-suspended")
    assert finding.item_seconds == pytest.approx(6 * 0.4, rel=0.01)
    assert "suspended once, for 400 ms in all (20 % of the time), the longest for 400 ms" in finding.evidence[0]
    assert "100 % of that was garbage collection" in finding.evidence[1]


def test_what_the_recording_itself_suspended_is_no_verdict(tmp_path):
    analysis = analyse(batch(tmp_path, reason=0).snapshots().write())
    assert analysis.verdict.id == "cannot-tell"
    assert "the recording itself walks stacks" in analysis.verdict.text
    assert "--snapshots 0" in analysis.verdict.reasons[-1]
    finding = next(f for f in analysis.findings if f.id == "runtime-suspended")
    assert "the recording's own snapshots of stacks, or another profiler" in finding.evidence[1]
    assert "--snapshots 0" in finding.advice[0]
    assert not any("Reduce garbage collection" in line for line in finding.advice)


def test_what_the_sampling_profiler_of_another_tools_trace_suspended_is_no_verdict(tmp_path):
    builder = batch(tmp_path, reason=0)
    builder.rows["snapshots"].append({"time": 100 * MS, "tid": 200, "stack": -1})
    builder.write()
    manifest = json.loads((tmp_path / "capture.json").read_text())
    manifest["made_from"] = [{"file": "runtime.nettrace", "from": "trace.nettrace", "format": "nettrace"}]
    (tmp_path / "capture.json").write_text(json.dumps(manifest))
    analysis = analyse(open_capture(tmp_path))
    assert analysis.verdict.id == "cannot-tell"
    assert "without the runtime's sampled profile" in analysis.verdict.reasons[-1]
    finding = next(f for f in analysis.findings if f.id == "runtime-suspended")
    assert "the sampling profiler of the recording itself" in finding.evidence[1]
    assert not any("--snapshots 0" in line for f in analysis.findings for line in f.advice)


def test_without_snapshots_another_profiler_suspended_it(tmp_path):
    analysis = analyse(batch(tmp_path, reason=0).write())
    assert analysis.verdict.id == "runtime-suspended"
    assert not any("--snapshots 0" in line for f in analysis.findings for line in f.advice)


def test_collections_stay_the_verdict_beside_snapshots(tmp_path):
    builder = batch(tmp_path).snapshots().suspension(1500 * MS, 1501 * MS, reason=0)
    assert analyse(builder.write()).verdict.id == "runtime-suspended"


@pytest.mark.quiet("runtime-suspended")
def test_the_same_wait_without_a_suspension_is_not(tmp_path):
    assert "runtime-suspended" not in fired(analyse(batch(tmp_path, suspended=False).write()))


def test_suspensions_that_nobody_waits_for_are_no_finding(tmp_path):
    builder = CaptureBuilder(tmp_path, length=2000 * MS)
    builder.item(0, MS // 10, 10 * MS, 200, [("running", 9 * MS)])
    for i in range(9):
        builder.suspension((100 + i * 200) * MS, (250 + i * 200) * MS)
    assert analyse(builder.write()).verdict.id == "healthy"


def test_without_the_table_it_is_not_applicable(tmp_path):
    batch(tmp_path).write()
    (tmp_path / "tables" / "suspensions.npz").unlink()
    assert {r.id: r.status for r in analyse(open_capture(tmp_path)).rules}["runtime-suspended"] == "not-applicable"
