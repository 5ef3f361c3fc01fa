"""Advice about the minimum of threads, for captures of pools that follow the runtime's own rules."""

import numpy as np
import pytest
from poolscope.product import analyse
from poolscope.replay import Op, Program, Workload, World, simulate
from poolscope.replay.policies import Net
from poolscope.whatif.calibration import GOOD
from synthetic import MS, CaptureBuilder

RULES = ("min-threads-would-help", "min-threads-would-hurt", "wait-would-move")


def captured(folder, programs, *, minimum=2, cores=2.0, gap=0, maximum=32767):
    """Returns what the simulated pool of .NET 10 would record for these items: (op, ns) pairs that arrive every `gap`
    ns."""
    workload = Workload.in_turn(np.arange(len(programs)) * float(gap), Program.of(programs))
    outcome = simulate(workload, World.constant(Net(minimum, maximum, 2), cores, seed=3))
    length = int(outcome.end.max()) + 100 * MS
    builder = CaptureBuilder(folder, length=length, limits=(minimum, maximum))
    free: list = []
    for i in np.argsort(outcome.start, kind="stable"):
        begin, end = int(outcome.start[i]), int(outcome.end[i])
        worker = next((w for w, until in enumerate(free) if until <= begin), len(free))
        free[worker : worker + 1] = [end]
        own = [("running" if op == Op.CPU else "blocked", int(ns)) for op, ns in programs[i]]
        lost = end - begin - sum(ns for _, ns in own)
        states = ([("ready", lost)] if lost > 0 else []) + own
        builder.item(int(workload.arrival[i]), begin, end, 200 + worker, states)
    for time, goal in zip(outcome.goal_changes.time, outcome.goal_changes.goal):
        builder.change(int(time), int(goal))
    return builder.write()


def sleeping(count, ms=1000):
    return [[(Op.CPU, MS), (Op.BLOCKED, ms * MS)]] * count


def computing(count, ms=300):
    return [[(Op.CPU, ms * MS)]] * count


def fired(analysis):
    return [f.id for f in analysis.findings if f.id in RULES]


def finding(analysis, rule):
    return next(f for f in analysis.findings if f.id == rule)


@pytest.mark.fires("min-threads-would-help")
@pytest.mark.quiet("min-threads-would-hurt")
@pytest.mark.quiet("wait-would-move")
def test_sleeping_items_are_helped_by_a_thread_for_each_and_the_cause_stays_the_verdict(tmp_path):
    analysis = analyse(captured(tmp_path, sleeping(40)))
    assert analysis.verdict.id == "injection-delay"
    assert fired(analysis) == ["min-threads-would-help"]
    help = finding(analysis, "min-threads-would-help")
    assert "minimum of 40 threads" in help.number and help.item_seconds == 0
    assert "This is a lower bound" in help.advice[0]
    assert analysis.evidence.what_if.calibration.confidence == GOOD


def test_findings_quote_the_simulation_where_its_calibration_is_good(tmp_path):
    analysis = analyse(captured(tmp_path, sleeping(40)))
    predicted = {p.fix: p for p in finding(analysis, "injection-delay").predicted}
    assert set(predicted) == {"await", "threads:40"}
    assert predicted["threads:40"].delay_after_ms < 200 < predicted["threads:40"].delay_ms
    assert any(
        "set the minimum worker threads to 40" in line.lower() for line in finding(analysis, "injection-delay").advice
    )


@pytest.mark.fires("min-threads-would-hurt")
@pytest.mark.quiet("min-threads-would-help")
def test_computing_items_are_hurt_by_more_threads_than_cores(tmp_path):
    analysis = analyse(captured(tmp_path, computing(30)))
    assert fired(analysis) == ["min-threads-would-hurt"]
    hurt = finding(analysis, "min-threads-would-hurt")
    assert "They start sooner, and then wait for a core" in hurt.advice[0]
    assert analysis.verdict.id not in RULES
    assert not any(
        "Set the minimum" in line or "set the minimum" in line for f in analysis.findings for line in f.advice
    )


def test_a_minimum_that_is_too_high_already_is_said(tmp_path):
    analysis = analyse(captured(tmp_path, computing(30), minimum=30))
    assert fired(analysis) == ["min-threads-would-hurt"]
    assert "too high: lower it to 2." in finding(analysis, "min-threads-would-hurt").advice[0]


def convoy(folder, count=60, hold=40):
    """Builds items on two threads that each sleep with one lock for 40 ms. From the third on, each starts when the item
    two before it has ended, and gets the lock from the item just before it."""
    builder = CaptureBuilder(folder, length=(count * hold + 100) * MS)
    for i in range(count):
        got, done = i * hold * MS, (i + 1) * hold * MS
        start = ((i - 1) * hold + 3) * MS if i >= 2 else 0
        asked = [("running", MS), ("blocked", got - start - MS)] if i else []
        states = [*asked, ("blocked", hold * MS - 1000), ("running", 2 * MS + 1000)]
        builder.item(0, start, done + 2 * MS, 200 + i % 2, states).wakeup(done - 1000, -1, 200 + i % 2)
        if i:
            builder.contention(200 + i % 2, start + MS - 1000, got + 1000, owner=200 + (i - 1) % 2)
            builder.wakeup(got, 200 + (i - 1) % 2, 200 + i % 2)
    return builder.write()


@pytest.mark.fires("wait-would-move")
def test_items_that_serialise_on_a_lock_would_only_wait_elsewhere_and_no_rule_advises_threads(tmp_path):
    analysis = analyse(convoy(tmp_path))
    assert fired(analysis) == ["wait-would-move"]
    move = finding(analysis, "wait-would-move")
    assert "wait for a lock that one item at a time can hold" in move.advice[0]
    assert "Shorten the critical section" in move.advice[1]
    assert analysis.verdict.id not in RULES
    advice = [a for a in analysis.evidence.what_if.advice if a.id == "wait-would-move"][0]
    assert advice.delay_after_ms > 0.5 * advice.delay_ms
    assert advice.end_after_ms == pytest.approx(advice.end_ms, rel=0.1)
    assert not any("set the minimum" in line.lower() for f in analysis.findings for line in f.advice)


def test_nothing_is_advised_where_nobody_waits(tmp_path):
    analysis = analyse(captured(tmp_path, sleeping(40, ms=5), gap=20 * MS))
    assert analysis.verdict.id == "healthy"
    assert fired(analysis) == []


def test_at_its_maximum_a_pool_is_not_helped_by_a_minimum(tmp_path):
    analysis = analyse(captured(tmp_path, sleeping(20, ms=300), minimum=4, maximum=4))
    assert analysis.verdict.id == "blocked-at-cap"
    assert fired(analysis) == []


def test_without_a_model_that_fits_the_rules_do_not_apply_and_nothing_is_predicted(tmp_path):
    """A pool that never grew, against its rules."""
    builder = CaptureBuilder(tmp_path, length=21_000 * MS)
    for i in range(40):
        begin = (i // 2) * 1000 * MS
        builder.item(0, begin, begin + 1000 * MS, 200 + i % 2, [("blocked", 1000 * MS)])
    analysis = analyse(builder.write())
    status = {r.id: (r.status, r.lacking()) for r in analysis.rules}
    for rule in RULES:
        assert status[rule] == ("not-applicable", ["a simulation that meets the measured waits"])
    assert finding(analysis, "injection-delay").predicted == []


def test_without_a_kernel_stream_there_is_nothing_to_simulate(tmp_path):
    builder = CaptureBuilder(tmp_path, length=1000 * MS, kernel=False)
    analysis = analyse(builder.item(MS, 300 * MS, 500 * MS, 200).write())
    assert analysis.to_json()["what_if"] is None
    assert {r.status for r in analysis.rules if r.id in RULES} == {"not-applicable"}
