"""Far more runnable workers than cores."""

import pytest
from poolscope.base.series import Steps
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder


def fired(analysis):
    return {f.id for f in analysis.findings}


def crowd(folder, threads, slices=10, before=0):
    """Builds one item per thread; all take turns of 5 ms on two cores. Each is blocked for `before` ms first."""
    builder = CaptureBuilder(folder, length=threads * slices * 5 * MS + before * MS + 100 * MS, limits=(threads, 32767))
    turn = max(threads // 2, 1) * 5 * MS
    for i in range(threads):
        lead, tail = i // 2 * 5 * MS, turn - i // 2 * 5 * MS - 5 * MS
        states = [("blocked", before * MS)] if before else []
        states += [("ready", lead), ("running", 5 * MS), ("ready", tail)] * slices
        states = [(name, length) for name, length in states if length > 0]
        builder.item(0, 0, before * MS + turn * slices, 200 + i, states)
    return builder


@pytest.mark.fires("oversubscribed")
def test_a_thread_for_every_item_ends_them_late(tmp_path):
    analysis = analyse(crowd(tmp_path, 40).write())
    assert analysis.evidence.is_healthy, "judged by waits alone"
    assert analysis.verdict.id == "oversubscribed"
    assert "healthy" not in fired(analysis)
    finding = next(f for f in analysis.findings if f.id == "oversubscribed")
    # 40 items of 50 ms: in turns all end after 1 s; two at a time they end after 50, 100, ... 1000 ms.
    one_after_the_other = sum(50e-3 * (1 + i // 2) for i in range(40))
    assert finding.item_seconds == pytest.approx(40 * 1.0 - one_after_the_other, rel=0.02)
    assert analysis.evidence.crowd.runnable == pytest.approx(40, rel=0.02)
    assert "ended late" in analysis.verdict.text


@pytest.mark.quiet("oversubscribed")
def test_one_thread_more_than_cores_is_no_crowd(tmp_path):
    builder = CaptureBuilder(tmp_path, length=3000 * MS, limits=(3, 32767))
    for i in range(3):
        builder.item(0, 0, 1500 * MS, 200 + i, [("running", 1000 * MS), ("ready", 500 * MS)])
    assert "oversubscribed" not in fired(analyse(builder.write()))


def test_threads_that_are_blocked_first_end_sooner_than_fewer_would(tmp_path):
    # Blocked for 500 ms, then 50 ms each in a crowd: two threads would need eleven seconds instead of one and a half.
    analysis = analyse(crowd(tmp_path, 40, before=500).write())
    assert analysis.evidence.crowd.runnable > 4
    assert analysis.evidence.crowd.cost < 0
    assert "oversubscribed" not in fired(analysis)


def test_items_that_never_end_on_few_threads_gain_nothing_there(tmp_path):
    """All items wait for the last one, so two threads would hold two items forever. Then each runs for 50 ms, two at a
    time. A replay runs all of them at once, so they end later than recorded: that is no gain from fewer threads."""
    count, until = 40, 100
    builder = CaptureBuilder(tmp_path, length=1500 * MS, limits=(count, 32767))
    for i in range(count):
        lead = i // 2 * 50
        states = [("blocked" if i < count - 1 else "running", until * MS), ("ready", lead * MS), ("running", 50 * MS)]
        builder.item(0, 0, (until + lead + 50) * MS, 200 + i, [(name, length) for name, length in states if length])
        if i < count - 1:
            builder.wakeup(until * MS, 200 + count - 1, 200 + i)
    analysis = analyse(builder.write())
    split = analysis.attribution.split
    worlds = split.ladder.worlds
    assert worlds.run_alone(Steps.constant(2.0), split.had, True).stuck.sum() >= count - 2
    as_it_was = worlds.alone(analysis.attribution.pool.goal, split.had, True)
    assert as_it_was.sum() > 1.5 * worlds.actual.sum(), "the error of the replay"
    assert analysis.evidence.crowd.runnable > 4 and analysis.evidence.crowd.cost <= 0
    assert "oversubscribed" not in fired(analysis)


def test_preemptions_of_workers_are_counted(tmp_path):
    builder = crowd(tmp_path, 40)
    for tid, state in ((200, 0), (201, 0x100), (202, 1), (999, 0)):
        builder.rows["switches"].append({"time": MS, "cpu": 0, "prev_tid": tid, "prev_state": state, "next_tid": 0})
    analysis = analyse(builder.write())
    assert analysis.evidence.worker_switches == 2
    assert "taken off a core 2 times" in analysis.findings[0].evidence[1]


def test_without_a_kernel_stream_it_is_not_applicable(tmp_path):
    builder = CaptureBuilder(tmp_path, length=2000 * MS, kernel=False)
    builder.item(0, 0, 1000 * MS, 200)
    assert {r.id: r.status for r in analyse(builder.write()).rules}["oversubscribed"] == "not-applicable"
