"""Captures constructed to have a known cause."""

import numpy as np
import pytest
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder, sleepers


def total(part):
    return float(part.sum())


def test_items_that_sleep_under_a_maximum_wait_for_blocking(tmp_path):
    capture = sleepers(tmp_path, count=100, gap=10 * MS, sleep=500 * MS, threads=lambda t: 10, limits=(10, 10)).write()
    analysis = analyse(capture)
    parts = analysis.attribution.split.parts
    assert analysis.verdict.id == "blocked-at-cap"
    assert total(parts.holding) >= 0.99 * total(parts.wait)
    # A D/D/c queue: a formula gives the wait.
    number = np.arange(100)
    assert parts.wait.tolist() == np.maximum(0, (number // 10) * (500 - 10 * 10) * MS).tolist()


def test_items_that_wait_for_threads_the_maximum_allows_wait_for_injection(tmp_path):
    changes = [(i * 1000 * MS, 2 + i) for i in range(1, 9)]

    def threads(t):
        return 2 + sum(1 for at, _ in changes if at <= t)

    builder = sleepers(
        tmp_path, count=10, gap=0, sleep=20_000 * MS, threads=threads, limits=(2, 32767), changes=changes
    )
    analysis = analyse(builder.write())
    split = analysis.attribution.split
    assert split.parts.wait.tolist() == [0, 0, *(i * 1000 * MS for i in range(1, 9))]
    assert analysis.verdict.id == "injection-delay"
    assert total(split.parts.injection) >= 0.99 * total(split.parts.wait)
    assert total(split.behind_blocked) >= 0.99 * total(split.parts.injection)


def test_items_that_compute_on_too_few_cores_wait_for_cores(tmp_path):
    builder = CaptureBuilder(tmp_path, length=2100 * MS)
    for i in range(20):
        start = (i // 2) * 200 * MS
        builder.item(0, start, start + 200 * MS, 200 + i % 2, [("running", 200 * MS)])
    analysis = analyse(builder.write())
    parts = analysis.attribution.split.parts
    assert analysis.verdict.id == "core-contention"
    assert total(parts.core) >= 0.99 * total(parts.wait)


def test_a_maximum_below_the_cores_is_not_core_contention(tmp_path):
    builder = CaptureBuilder(tmp_path, length=2100 * MS, limits=(1, 1))
    for i in range(10):
        builder.item(0, i * 200 * MS, (i + 1) * 200 * MS, 200, [("running", 200 * MS)])
    parts = analyse(builder.write()).attribution.split.parts
    # With both cores half of the delay would be gone. The rest is due to the cores.
    assert total(parts.holding) == pytest.approx(5 / 9 * total(parts.wait), rel=0.01)
    assert total(parts.core) == pytest.approx(4 / 9 * total(parts.wait), rel=0.01)


def test_a_woken_worker_without_a_core_is_core_contention_and_the_way_to_its_wake_up_is_runtime(tmp_path):
    builder = CaptureBuilder(tmp_path, length=1000 * MS)
    builder.item(100 * MS, 130 * MS, 140 * MS, 200, [("running", 10 * MS)])
    builder.state(200, 0, 105 * MS, "blocked")  # woken 5 ms after the enqueue
    builder.state(200, 105 * MS, 129 * MS, "ready")
    builder.state(200, 129 * MS, 130 * MS, "running")
    parts = analyse(builder.write()).attribution.split.parts
    assert (parts.wait[0], parts.core[0], parts.runtime[0]) == (30 * MS, 24 * MS, 6 * MS)


def test_waiting_for_a_suspension_is_runtime(tmp_path):
    builder = CaptureBuilder(tmp_path, length=1000 * MS)
    builder.item(100 * MS, 300 * MS, 310 * MS, 200, [("running", 10 * MS)])
    builder.suspension(100 * MS, 300 * MS)
    parts = analyse(builder.write()).attribution.split.parts
    assert parts.runtime[0] == 200 * MS


def test_queueing_behind_suspended_items_is_runtime_unless_the_sleep_would_have_gone_on(tmp_path):
    builder = CaptureBuilder(tmp_path, length=2000 * MS, limits=(1, 1))
    builder.item(0, 0, 600 * MS, 200, [("running", 100 * MS), ("blocked", 400 * MS), ("running", 100 * MS)])
    builder.suspension(100 * MS, 500 * MS)
    builder.item(100 * MS, 600 * MS, 700 * MS, 200, [("running", 100 * MS)])
    suspended = analyse(builder.write())
    parts = suspended.attribution.split.parts
    assert (parts.wait[1], parts.runtime[1], parts.holding[1]) == (500 * MS, 400 * MS, 100 * MS)
    assert suspended.attribution.execution.runtime.tolist() == [400 * MS, 0]

    (tmp_path / "asleep").mkdir()
    builder = CaptureBuilder(tmp_path / "asleep", length=2000 * MS, limits=(1, 1))
    builder.item(0, 0, 600 * MS, 200, [("running", 90 * MS), ("blocked", 410 * MS), ("running", 100 * MS)])
    builder.suspension(100 * MS, 500 * MS)  # begins while the item sleeps
    builder.item(0, 600 * MS, 700 * MS, 200, [("running", 100 * MS)])
    asleep = analyse(builder.write())
    assert asleep.attribution.execution.runtime.tolist() == [0, 0]


@pytest.mark.parametrize(
    "waker, reported, stopped", [(201, False, 900), (201, True, 100), (-1, False, 100), (999, False, 100)]
)
def test_a_thread_that_comes_back_late_from_a_suspension_was_stopped_by_it(tmp_path, waker, reported, stopped):
    builder = CaptureBuilder(tmp_path, length=2000 * MS)
    builder.thread(200, 100, ".NET TP Worker").thread(201, 100, ".NET TP Worker").thread(999, 999, "other")
    builder.item(0, 0, 1100 * MS, 200, [("running", 100 * MS), ("blocked", 900 * MS), ("running", 100 * MS)])
    builder.suspension(90 * MS, 200 * MS)
    builder.wakeup(1000 * MS, waker, 200)
    if reported:  # it waited for something else, and that wait began while the runtime stopped the other threads
        builder.wait(200, 99 * MS, 1000 * MS)
    # Plus the 10 ms in which the thread still ran after the suspension had begun.
    assert analyse(builder.write()).attribution.execution.runtime.tolist() == [(10 + stopped) * MS]


def test_nobody_waits_is_healthy(tmp_path):
    builder = CaptureBuilder(tmp_path, length=10_000 * MS)
    for i in range(50):
        at = i * 100 * MS
        builder.item(at, at + MS // 10, at + MS, 200, [("running", 9 * MS // 10)])
    assert analyse(builder.write()).verdict.id == "healthy"


def test_no_item_is_no_work(tmp_path):
    analysis = analyse(CaptureBuilder(tmp_path, length=1000 * MS).write())
    assert analysis.verdict.id == "no-work"
    assert analysis.to_json()["items"]["count"] == 0


def test_no_item_in_a_starving_process_attached_to_cannot_tell(tmp_path):
    builder = CaptureBuilder(tmp_path, length=5000 * MS, launched=False)
    builder.change(1000 * MS, 30)
    assert analyse(builder.write()).verdict.id == "cannot-tell"


def test_without_a_kernel_stream_a_late_start_has_no_cause(tmp_path):
    builder = CaptureBuilder(tmp_path, length=5000 * MS, kernel=False)
    builder.item(0, 3000 * MS, 4000 * MS, 200)
    analysis = analyse(builder.write())
    assert analysis.verdict.id == "cannot-tell"
    assert analysis.to_json()["attribution"] is None
    assert {r.id: r.status for r in analysis.rules}["injection-delay"] == "not-applicable"


def test_lost_events_forbid_a_verdict(tmp_path):
    builder = CaptureBuilder(tmp_path, length=5000 * MS, lost=100)
    builder.item(0, 3000 * MS, 4000 * MS, 200, [("running", 1000 * MS)])
    assert analyse(builder.write()).verdict.id == "cannot-tell"


def test_items_queued_at_the_end_count_as_waiting(tmp_path):
    builder = CaptureBuilder(tmp_path, length=10_000 * MS, limits=(1, 1))
    builder.item(0, 0, 9000 * MS, 200, [("running", MS), ("blocked", 8999 * MS)])
    for _ in range(9):
        builder.item(1000 * MS)
    analysis = analyse(builder.write())
    wait = analysis.to_json()["items"]["wait_ms"]
    assert analysis.verdict.id == "blocked-at-cap"
    assert wait["p50"] == 9000 and "p50" in wait["at_least"]
    assert "at least" in analysis.verdict.text


def test_an_item_queued_before_the_capture_waited_at_least_since_its_start(tmp_path):
    builder = CaptureBuilder(tmp_path, length=10_000 * MS, launched=False)
    builder.item(-1, 4000 * MS, 4100 * MS, 200, [("running", 100 * MS)])
    analysis = analyse(builder.write())
    assert analysis.attribution.items.wait.tolist() == [4000 * MS]
    assert analysis.to_json()["items"]["wait_ms"]["at_least"] == ["mean", "p50", "p90", "p99", "max"]


def test_blocked_time_is_counted_by_who_ended_it(tmp_path):
    builder = CaptureBuilder(tmp_path, length=1000 * MS)
    builder.item(0, 0, 300 * MS, 200, [("blocked", 100 * MS), ("running", 50 * MS), ("blocked", 150 * MS)])
    builder.item(0, 0, 400 * MS, 201, [("running", 400 * MS)])
    builder.wakeup(100 * MS, 201, 200)
    builder.wakeup(999 * MS, -1, 200)
    coverage = analyse(builder.write()).coverage
    assert coverage.pool_ended_blocked_ms == 100
    assert coverage.unknown_blocked_ms == 150


def test_a_pool_that_was_full_at_attach_is_not_slow_dispatch(tmp_path):
    builder = CaptureBuilder(tmp_path, length=10_000 * MS, limits=(2, 2), launched=False)
    for worker in (200, 201):
        builder.state(worker, 0, 4000 * MS, "blocked")  # in items that began before the capture
        builder.item(1000 * MS, 4000 * MS, 5000 * MS, worker, [("blocked", 1000 * MS)])
    analysis = analyse(builder.write())
    assert analysis.coverage.carried == 2
    assert analysis.attribution.split.parts.holding.tolist() == [3000 * MS, 3000 * MS]
    assert analysis.verdict.id == "blocked-at-cap"


def test_a_worker_that_was_parked_at_attach_was_not_busy(tmp_path):
    builder = CaptureBuilder(tmp_path, length=10_000 * MS, launched=False)
    builder.state(200, 0, 1000 * MS, "blocked")
    builder.item(1000 * MS, 1000 * MS + 60_000, 1100 * MS, 200, [("running", 99 * MS)])
    assert analyse(builder.write()).coverage.carried == 0


def test_no_world_is_asked_for_more_than_the_capture_saw_of_a_queued_item(tmp_path):
    builder = CaptureBuilder(tmp_path, length=1000 * MS, limits=(1, 1))
    builder.item(0, 0, -1, 200, [("blocked", 1000 * MS)])
    for _ in range(50):
        builder.item(0)
    analysis = analyse(builder.write())
    removable = analysis.to_json()["attribution"]["removable_ms"]
    # With a thread for every item nothing waits. With one thread the items wait to the end, as they did.
    assert removable["async"] == pytest.approx(50 / 51 * 1000, rel=0.01)
    assert removable["threads"] == pytest.approx(0, abs=1)
    assert analysis.attribution.split.parts.holding[1:].tolist() == [1000 * MS] * 50


def test_a_pool_at_its_maximum_from_the_start_has_no_injection_whatever_the_replay_says(tmp_path):
    builder = CaptureBuilder(tmp_path, length=3000 * MS, limits=(1, 1))
    # Each item takes three times as long as the capture explains, so the replay must miss it.
    for i in range(5):
        builder.item(0, i * 300 * MS, (i + 1) * 300 * MS, 200, [("running", 100 * MS), ("ready", 200 * MS)])
    parts = analyse(builder.write()).attribution.split.parts
    assert parts.injection.sum() == 0
    assert total(parts.residual) == 0
