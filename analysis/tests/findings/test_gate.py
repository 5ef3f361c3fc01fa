"""The reason why the gate thread added no threads: finished items, or a busy CPU."""

from dataclasses import replace

import numpy as np
import pytest
from poolscope.base.series import Steps
from poolscope.base.stages import Results
from poolscope.executions.pool import Pool
from poolscope.findings.judged import evaluate
from poolscope.findings.verdict import judge
from poolscope.measures.goal import _without_climbing
from poolscope.product import analyse
from poolscope.whatif.calibration import NOT_TRUSTED
from synthetic import MS, CaptureBuilder


def fired(analysis):
    return {f.id for f in analysis.findings}


def status(analysis):
    return {r.id: r.status for r in analysis.rules}


def four_threads(folder, *, work, in_turn, count=60):
    """Builds items that sleep on four threads, to which the pool adds none; they end in turn or four at a time."""
    builder = CaptureBuilder(folder, length=count * work // 4 + 2 * work, limits=(4, 32767))
    for i in range(count):
        start = i // 4 * work
        if in_turn and i >= 4:
            start -= (3 - i % 4) * work // 4
        end = start + work if i >= 4 or not in_turn else (i + 1) * work // 4
        builder.item(0, start, end, 200 + i % 4, [("blocked", end - start)])
    return builder


@pytest.mark.fires("gate-suppressed-by-progress")
@pytest.mark.quiet("healthy")
def test_items_that_end_in_turn_hold_the_gate_back(tmp_path):
    analysis = analyse(four_threads(tmp_path, work=1000 * MS, in_turn=True).write())
    assert analysis.verdict.id == "gate-suppressed-by-progress"
    assert "injection-delay" in fired(analysis)
    finding = next(f for f in analysis.findings if f.id == "gate-suppressed-by-progress")
    # All but the first half second, which the gate would have waited in any case.
    waited = analysis.evidence.waiting_item_seconds
    assert finding.item_seconds == pytest.approx(waited - 56 * 0.5, rel=0.02)
    assert "added 0 threads for starvation" in finding.evidence[1]


@pytest.mark.fires("injection-delay")
@pytest.mark.quiet("gate-suppressed-by-progress")
@pytest.mark.quiet("blocked-at-cap")
@pytest.mark.quiet("core-contention")
def test_items_that_end_together_leave_the_gate_most_of_the_time(tmp_path):
    analysis = analyse(four_threads(tmp_path, work=2000 * MS, in_turn=False).write())
    assert analysis.verdict.id == "injection-delay"
    assert "gate-suppressed-by-progress" not in fired(analysis)
    held = analysis.evidence.item_seconds(analysis.evidence.gate.by_progress)
    assert held < 0.25 * analysis.evidence.waiting_item_seconds


def test_short_queues_one_after_the_other_are_not_the_gate_s_doing(tmp_path):
    """Bursts whose items all begin within the gate's own 500 ms, and one late item: the gate would not have acted."""
    builder = CaptureBuilder(tmp_path, length=12_000 * MS, limits=(2, 32767))
    for burst in range(10):
        for i in range(8):
            start = burst * 1000 * MS + i // 2 * 150 * MS
            builder.item(burst * 1000 * MS, start, start + 150 * MS, 200 + i % 2, [("blocked", 150 * MS)])
    late = [("blocked", 150 * MS)]
    builder.item(10_000 * MS, 10_000 * MS, 10_550 * MS, 200, [("blocked", 550 * MS)])
    builder.item(10_000 * MS, 10_000 * MS, 10_400 * MS, 201, [("blocked", 400 * MS)])
    builder.item(10_000 * MS, 10_400 * MS, 10_550 * MS, 201, late).item(
        10_000 * MS, 10_550 * MS, 10_700 * MS, 200, late
    )
    analysis = analyse(builder.write())
    assert analysis.verdict.id == "injection-delay"
    assert "gate-suppressed-by-progress" not in fired(analysis)
    held = analysis.evidence.item_seconds(analysis.evidence.gate.by_progress)
    assert held == pytest.approx(0.05, abs=0.002), "of one item, what was beyond 500 ms"


@pytest.mark.fires("blocked-at-cap")
@pytest.mark.quiet("injection-delay")
def test_a_pool_at_its_maximum_has_no_gate_to_hold_back(tmp_path):
    builder = four_threads(tmp_path, work=1000 * MS, in_turn=True)
    builder.rows["pool_limits"][0]["max"] = 4
    analysis = analyse(builder.write())
    assert analysis.verdict.id == "blocked-at-cap"
    assert analysis.evidence.gate.by_progress.sum() == 0


def test_where_nobody_waits_as_long_as_the_gate_does_it_was_not_held_back(tmp_path):
    builder = four_threads(tmp_path, work=10 * MS, in_turn=True, count=190)
    analysis = analyse(builder.write())
    assert 400 * MS < analysis.attribution.items.wait.max() <= 500 * MS
    assert analysis.verdict.id == "injection-delay"
    assert "gate-suppressed-by-progress" not in fired(analysis)


def test_while_the_goal_is_adjusted_for_cooperative_blocking_the_gate_does_not_look(tmp_path):
    builder = four_threads(tmp_path, work=1000 * MS, in_turn=True)
    for i in range(builder.length // (250 * MS)):
        builder.change(i * 250 * MS, 4, "CooperativeBlocking")
    analysis = analyse(builder.write())
    assert "gate-suppressed-by-progress" not in fired(analysis)


def test_the_gate_s_rules_are_the_runtime_s_own_pool_s(tmp_path):
    builder = four_threads(tmp_path, work=1000 * MS, in_turn=True)
    builder.manifest["pool"] = {"provider": "Other", "name": "net11", "other_items": 0}
    analysis = analyse(builder.write())
    assert analysis.verdict.id == "injection-delay"
    gate = ("gate-suppressed-by-progress", "gate-suppressed-by-cpu", "goal-lowered-under-backlog")
    assert {status(analysis)[rule] for rule in gate} == {"not-applicable"}


def spinners(folder, *states):
    """Builds two items that hold both threads for 6 s, and 20 short ones behind them, which get a thread after 2.5
    s."""
    builder = CaptureBuilder(folder, length=6500 * MS)
    for i in range(2):
        builder.item(0, 0, 6000 * MS, 200 + i, list(states) or [("running", 6000 * MS)])
    for i in range(20):
        at = 2500 * MS + i * 5 * MS
        builder.item(0, at, at + 5 * MS, 202, [("running", 5 * MS)])
    return builder.change(2500 * MS, 3)


@pytest.mark.fires("gate-suppressed-by-cpu")
def test_computing_items_make_the_gate_wait_longer(tmp_path):
    analysis = analyse(spinners(tmp_path).write())
    assert analysis.verdict.id == "gate-suppressed-by-cpu"
    finding = next(f for f in analysis.findings if f.id == "gate-suppressed-by-cpu")
    # From half a second without progress up to a second for each of two threads.
    assert finding.item_seconds == pytest.approx(20 * 1.5, rel=0.05)


def test_the_cpu_counts_as_the_gate_read_it(tmp_path):
    """Idle from 925 to 1,075 and from 1,925 to 2,075 ms: the CPU is at times at 70 % over 500 ms, but not at a reading
    of the gate."""
    idle, busy = ("blocked", 150 * MS), ("running", 850 * MS)
    states = [("running", 925 * MS), idle, busy, idle, ("running", 6000 * MS - 2075 * MS)]
    analysis = analyse(spinners(tmp_path, *states).write())
    assert analysis.evidence.gate.by_cpu.sum() == pytest.approx(20 * 1500 * MS, rel=0.05)


def test_where_no_thread_was_added_the_cpu_counts_as_it_was_in_any_half_second(tmp_path):
    builder = spinners(tmp_path, ("running", 2000 * MS), ("blocked", 4000 * MS))
    builder.rows["pool_changes"].clear()
    held = analyse(builder.write()).evidence.gate.by_cpu.sum()
    assert held == pytest.approx(20 * 1500 * MS, rel=0.1)


@pytest.mark.quiet("gate-suppressed-by-cpu")
def test_blocked_items_do_not(tmp_path):
    analysis = analyse(spinners(tmp_path, ("blocked", 6000 * MS)).write())
    assert analysis.verdict.id == "injection-delay"
    assert "gate-suppressed-by-cpu" not in fired(analysis)


def backlog(folder, reason, empty=False, raised="Starvation"):
    """Builds six threads with items of 1 s always queued (or, if `empty`, none after 2 s). The pool removes four
    threads after 2 s."""
    builder = CaptureBuilder(folder, length=30_000 * MS, limits=(2, 32767))
    builder.change(1, 6, raised)
    for i in range(12):
        start = i // 6 * 1000 * MS
        builder.item(0, start, start + 1000 * MS, 200 + i % 6, [("blocked", 1000 * MS)])
    builder.change(2000 * MS, 2, reason)
    for i in range(20):
        start = 2000 * MS + i // 2 * 1000 * MS
        builder.item(2100 * MS if empty else 0, max(start, 2100 * MS if empty else 0), start + 1000 * MS, 200 + i % 2)
        dequeue = start + (100 * MS if empty and i < 2 else 0)
        builder.rows["work_items"][-1]["dequeue"] = dequeue
        builder.state(200 + i % 2, dequeue, start + 1000 * MS, "blocked")
    return builder


@pytest.mark.fires("goal-lowered-under-backlog")
def test_a_goal_lowered_under_a_backlog_has_its_price(tmp_path):
    analysis = analyse(backlog(tmp_path, "ClimbingMove").write())
    finding = next(f for f in analysis.findings if f.id == "goal-lowered-under-backlog")
    lowered = analysis.evidence.lowered
    assert lowered.goal_before.tolist() == [6] and lowered.goal_after.tolist() == [2]
    # Twenty items of one second each: on two threads they start 0 to 9 s later, on six 0 to 3 s later.
    kept = sum(2.0 + i // 6 for i in range(20))
    was = sum(2.0 + i // 2 for i in range(20))
    assert finding.item_seconds == pytest.approx(was - kept, rel=0.02)
    assert "lowered the goal once while items were queued, at most from 6 to 2 threads" in finding.evidence[0]


@pytest.mark.parametrize("reason", ["ThreadTimedOut", "CooperativeBlocking"])
def test_other_reasons_are_not_hill_climbing_s(tmp_path, reason):
    assert "goal-lowered-under-backlog" not in fired(analyse(backlog(tmp_path, reason).write()))


@pytest.mark.quiet("goal-lowered-under-backlog")
def test_a_goal_lowered_while_nothing_is_queued_costs_nothing(tmp_path):
    analysis = analyse(backlog(tmp_path, "ClimbingMove", empty=True).write())
    assert len(analysis.evidence.lowered.time) == 0
    assert "goal-lowered-under-backlog" not in fired(analysis)


def pool_of(goal, low=1.0, high=100.0):
    nothing = Steps.constant(0.0)
    return Pool(goal, Steps.constant(low), Steps.constant(high), nothing, nothing, True, "event")


def test_a_pool_without_hill_climbing_has_neither_its_raises_nor_its_cuts():
    goal = Steps(np.array([0.0, 10, 20, 30, 40, 50]), np.array([2.0, 3, 9, 10, 4, 5]))
    # Hill climbing added six at 20 and removed six at 40; the gate added the others, one at a time.
    without = _without_climbing(pool_of(goal), np.array([20.0, 40.0]))
    assert without.at([0, 10, 20, 30, 40, 50]).tolist() == [2, 3, 3, 4, 4, 5]


def test_without_hill_climbing_the_goal_stays_within_its_limits():
    goal = Steps(np.array([0.0, 10, 20, 30]), np.array([4.0, 9, 3, 4]))
    climbed = np.array([10.0])
    assert _without_climbing(pool_of(goal, low=3.0), climbed).at([10, 20, 30]).tolist() == [4, 3, 4]
    assert _without_climbing(pool_of(goal, high=3.0), climbed).at([0, 10, 30]).tolist() == [3, 3, 2]


@pytest.mark.quiet("goal-lowered-under-backlog")
def test_what_hill_climbing_had_added_itself_is_not_missed_when_it_is_gone(tmp_path):
    """Hill climbing raised the goal from 2 to 6 and lowered it again. Without it the goal would never have exceeded
    two."""
    analysis = analyse(backlog(tmp_path, "ClimbingMove", raised="ClimbingMove").write())
    assert analysis.evidence.lowered.goal_before.tolist() == [6]
    assert analysis.evidence.lowered.cost.sum() == 0
    assert analysis.verdict.id == "injection-delay"


def test_a_model_that_does_not_fit_accuses_no_hill_climbing(tmp_path):
    analysis = analyse(backlog(tmp_path, "ClimbingMove").write())
    evidence = analysis.evidence
    misfit = replace(evidence.what_if, calibration=replace(evidence.what_if.calibration, confidence=NOT_TRUSTED))
    refused = replace(evidence, kept=Results({"what_if": misfit}))
    findings, _ = evaluate(refused)
    assert "goal-lowered-under-backlog" not in {f.id for f in findings}
    verdict = judge(refused, findings)
    assert verdict.id == "injection-delay" and verdict.confidence != "high"
    assert any("does not fit" in reason for reason in verdict.reasons)
