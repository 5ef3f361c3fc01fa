"""Tier schedstat, which records sums over polling steps: the same cause as with tracepoints, or the reason for none."""

import pytest
from poolscope.executions.competitors import competitors
from poolscope.product import analyse
from poolscope.report.sections.verdict import coverage_line
from synthetic import MS, CaptureBuilder

STEP = 10 * MS


def polled(folder, *, items, states, worker_rows, length, limits=(2, 2), tier="schedstat"):
    """Analyses items on workers 200 and 201. `worker_rows` are the polled states: (tid, start, duration, state,
    mixed)."""
    builder = CaptureBuilder(folder, length=length, limits=limits, tier=tier)
    if tier == "schedstat":
        builder.manifest["streams"] = [{"file": "schedstat.bin", "tier": tier, "poll_step_ns": STEP}]
    for enqueue, dequeue, end, worker in items:
        builder.item(enqueue, dequeue, end, worker, states)
    for tid, start, duration, state, mixed in worker_rows:
        builder.state(tid, start, start + duration, state)
        builder.rows["thread_states"][-1]["resolution"] = STEP if mixed else 0
    return analyse(builder.write())


def long_items(folder, *, state, mixed, tier="schedstat"):
    """Analyses 20 items of 200 ms on two workers; every worker is in one state throughout."""
    items = [(0, (i // 2) * 200 * MS, (i // 2 + 1) * 200 * MS, 200 + i % 2) for i in range(20)]
    rows = [(200 + w, i * 200 * MS, 200 * MS, state, mixed) for w in range(2) for i in range(10)]
    return polled(folder, items=items, states=(), worker_rows=rows, length=2001 * MS, tier=tier)


def short_items(folder, layout):
    """Analyses 2000 items of 1 ms on two workers; the poll knows only the sums of each step of 10 ms."""
    items = [(0, (i // 2) * MS, (i // 2 + 1) * MS, 200 + i % 2) for i in range(2000)]
    rows = []
    for worker in (200, 201):
        for step in range(100):
            at = step * STEP
            for state, duration in layout:
                rows.append((worker, at, duration, state, len(layout) > 1))
                at += duration
    return polled(folder, items=items, states=(), worker_rows=rows, length=1001 * MS)


def test_long_items_get_the_verdict_of_tracepoint_with_less_confidence(tmp_path):
    full = long_items(tmp_path / "full", state="blocked", mixed=False, tier="tracepoint")
    less = long_items(tmp_path / "less", state="blocked", mixed=True)
    assert (full.verdict.id, less.verdict.id) == ("blocked-at-cap", "blocked-at-cap")
    assert less.verdict.confidence == "medium"
    assert less.coverage.unresolved_ms == pytest.approx(20 * 20)  # one step at either end of each item
    bounds = less.to_json()["attribution"]["execution_bounds_ms"]
    assert bounds["blocked"] == pytest.approx([180, 200])
    assert bounds["cpu"] == pytest.approx([0, 20])
    assert full.to_json()["attribution"]["execution_bounds_ms"] is None


def test_items_shorter_than_the_step_in_mixed_steps_have_no_verdict(tmp_path):
    # By the convention seven of ten items slept and three computed, but each may as well have computed for 0.3 ms.
    analysis = short_items(tmp_path, [("blocked", 7 * MS), ("running", 3 * MS)])
    assert analysis.verdict.id == "cannot-tell"
    assert "finer than the polling step of 10 ms" in analysis.verdict.text
    assert any("--poll-step" in advice for f in analysis.findings for advice in f.advice)
    assert analysis.coverage.unresolved_ms == pytest.approx(analysis.coverage.execution_ms)


def test_items_shorter_than_the_step_in_steps_of_one_state_keep_theirs(tmp_path):
    # Every item has this one state in the step, so no item's share is open.
    analysis = short_items(tmp_path, [("blocked", 10 * MS)])
    assert analysis.verdict.id == "blocked-at-cap"
    assert analysis.coverage.unresolved_ms == 0


def test_a_share_that_our_own_threads_do_not_explain_is_taken_by_others(tmp_path):
    builder = CaptureBuilder(tmp_path, length=1000 * MS, tier="schedstat")
    builder.item(0, 0, 1000 * MS, 200)
    builder.item(0, 0, 1000 * MS, 201)
    for step in range(100):
        for tid in (200, 201):
            # Both wait at once and run at once only in this layout of rows; each had half a core.
            states = [("ready", 5 * MS), ("running", 5 * MS)] if step < 50 else [("running", 10 * MS)]
            at = step * STEP
            for state, duration in states:
                builder.state(tid, at, at + duration, state)
                at += duration
    # Two cores shared by four give each a half.
    assert competitors(builder.write()).all.at([250 * MS, 750 * MS]) == pytest.approx([2.0, 0.0], abs=1e-6)


def test_coverage_says_what_a_poll_cannot_tell(tmp_path):
    analysis = long_items(tmp_path, state="blocked", mixed=True)
    said = " ".join(analysis.verdict.reasons)
    assert "every 10 ms" in said and "not their order" in said and "tracepoint" in said
    coverage = analysis.to_json()["coverage"]
    assert (coverage["tier"], coverage["poll_step_ms"]) == ("schedstat", 10)
    line = {c.text: c.good for c in coverage_line(coverage)}
    assert line["kernel tier: schedstat (own threads, sums over 10 ms)"] is False


def test_blocked_time_in_a_step_that_a_suspension_touches_may_be_all_the_suspensions(tmp_path):
    # One item of a second computes except for five blocks of 4 ms, which the poll places only within a step. The
    # runtime was suspended for 2 ms of one of these steps. The convention's order in the step, before or after the
    # block, is no evidence.
    def bounds(folder, *, suspended):
        builder = CaptureBuilder(folder, length=1001 * MS, tier="schedstat")
        builder.manifest["streams"] = [{"file": "schedstat.bin", "tier": "schedstat", "poll_step_ns": STEP}]
        builder.item(0, 0, 1000 * MS, 200)
        for at in range(0, 1000, 200):
            for start, end, state in ((0, 50, "running"), (50, 54, "blocked"), (54, 200, "running")):
                builder.state(200, (at + start) * MS, (at + end) * MS, state)
                builder.rows["thread_states"][-1]["resolution"] = STEP
        if suspended:
            builder.suspension(56 * MS, 58 * MS)
        return analyse(builder.write()).to_json()["attribution"]["execution_bounds_ms"]["blocked"]

    # The two steps of 10 ms at the item's ends are open, and a tick of 10 ms may be missing.
    assert bounds(tmp_path / "without", suspended=False) == pytest.approx([20 - 10, 20 + 20 + 10])
    assert bounds(tmp_path / "with", suspended=True) == pytest.approx([20 - 4 - 10, 20 + 20 + 10])
