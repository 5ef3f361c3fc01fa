"""Threads blocked in synchronous waits for tasks while items wait for a thread."""

import pytest
from poolscope.capture import open_capture
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder

LIMITLESS = (2, 32767)


def fired(analysis):
    return {f.id for f in analysis.findings}


def cost(analysis, name):
    return next(f.item_seconds for f in analysis.findings if f.id == name)


def waiters(folder, *, limits=LIMITLESS, behavior="synchronous", waiting=10, count=10):
    """Builds items that block to the end, while the pool adds a thread a second. The first `waiting` of them wait for a
    task."""
    length = 30_000 * MS
    builder = CaptureBuilder(folder, length=length, limits=limits)
    for i in range(count):
        start = max(0, i - 1) * 1000 * MS
        builder.item(0, start, length, 200 + i, [("running", MS), ("blocked", length - start - MS)])
        if i < waiting:
            builder.task_wait(200 + i, start + MS // 2, behavior=behavior)
            builder.wait(200 + i, start + MS, length)
    for i in range(1, count - 1):
        builder.change(i * 1000 * MS, 2 + i, "CooperativeBlocking")
    return builder


@pytest.mark.fires("sync-over-async")
def test_waiting_behind_task_waits_is_sync_over_async(tmp_path):
    analysis = analyse(waiters(tmp_path).write())
    assert analysis.verdict.id == "sync-over-async"
    assert cost(analysis, "sync-over-async") == pytest.approx(cost(analysis, "injection-delay"), rel=0.01)
    finding = next(f for f in analysis.findings if f.id == "sync-over-async")
    assert "10 items blocked their thread in a wait for a task, up to 10 at a time" in finding.evidence[0]
    assert "8 times for cooperative blocking" in finding.evidence[-1]
    assert analysis.findings[0].id == "sync-over-async", "a page's first advice is the verdict's"
    assert "injection-delay" in fired(analysis), "the general cause stays a finding"


@pytest.mark.quiet("sync-over-async")
@pytest.mark.parametrize("behavior", ["asynchronous", "unknown"])
def test_an_await_blocks_nobody(tmp_path, behavior):
    analysis = analyse(waiters(tmp_path, behavior=behavior).write())
    assert analysis.verdict.id == "injection-delay"
    assert "sync-over-async" not in fired(analysis)


def test_where_other_waits_hold_most_threads_it_is_a_finding_and_not_the_verdict(tmp_path):
    builder = CaptureBuilder(tmp_path, length=30_000 * MS, limits=(10, 10))
    for i in range(10):
        builder.item(0, 0, 20_000 * MS, 200 + i, [("blocked", 20_000 * MS)])
        if i < 3:
            builder.task_wait(200 + i, 0).wait(200 + i, MS, 20_000 * MS)
    for i in range(10):
        builder.item(0, 20_000 * MS, 20_100 * MS, 200 + i, [("blocked", 100 * MS)])
    analysis = analyse(builder.write())
    assert analysis.verdict.id == "blocked-at-cap"
    assert cost(analysis, "sync-over-async") == pytest.approx(0.3 * cost(analysis, "blocked-at-cap"), rel=0.01)


def test_at_the_maximum_it_explains_blocked_at_cap(tmp_path):
    builder = CaptureBuilder(tmp_path, length=30_000 * MS, limits=(2, 2))
    for i in range(10):
        start = i // 2 * 1000 * MS
        builder.item(0, start, start + 1000 * MS, 200 + i % 2, [("blocked", 1000 * MS)])
        builder.task_wait(200 + i % 2, start + 10).wait(200 + i % 2, start + 20, start + 1000 * MS)
    analysis = analyse(builder.write())
    assert {"blocked-at-cap", "sync-over-async"} <= fired(analysis)
    assert analysis.verdict.id == "sync-over-async"


def test_a_wait_counts_once_and_only_inside_the_item_that_announced_it(tmp_path):
    builder = CaptureBuilder(tmp_path, length=10_000 * MS)
    builder.item(0, 0, 1000 * MS, 200, [("blocked", 1000 * MS)])
    builder.item(0, 2000 * MS, 3000 * MS, 200, [("blocked", 1000 * MS)])
    builder.task_wait(200, 100 * MS)
    builder.wait(200, 101 * MS, 200 * MS)
    builder.wait(200, 300 * MS, 400 * MS)  # of the same item, but for no task
    builder.wait(200, 2100 * MS, 2200 * MS)  # of an item that announced none
    builder.wait(999, 100 * MS, 900 * MS)  # no worker
    waits = analyse(builder.write()).evidence.task_waits
    assert (waits.item.tolist(), waits.start.tolist(), waits.end.tolist()) == ([0], [101 * MS], [200 * MS])


def test_without_task_events_it_is_not_applicable(tmp_path):
    waiters(tmp_path).write()
    (tmp_path / "tables" / "task_waits.npz").unlink()
    rules = {r.id: r.status for r in analyse(open_capture(tmp_path)).rules}
    assert rules["sync-over-async"] == "not-applicable"
