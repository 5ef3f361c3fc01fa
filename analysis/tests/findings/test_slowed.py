"""Items that start at once and then lack a core: the cause stays the same, and the verdict is not healthy."""

import pytest
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder


def found(analysis):
    return {f.id: f for f in analysis.findings}


def waited_then_computed(folder, count=20, work=500, **options):
    """Builds `count` items on a thread each: all blocked for `work` ms, then sharing two cores in turns for `work` ms
    each."""
    busy = count * work // 2
    builder = CaptureBuilder(folder, length=(work + busy) * MS + 100 * MS, limits=(count, 32767), **options)
    for i in range(count):
        first = 5 * (i // 2)
        rest = 5 * (count // 2 - 1)
        states = [("blocked", work * MS), ("ready", first * MS)]
        states += [("running", 5 * MS), ("ready", rest * MS)] * (work // 5 - 1)
        states += [("running", 5 * MS)]
        builder.item(0, 0, sum(length for _, length in states), 200 + i, [s for s in states if s[1] > 0])
    return builder


def test_the_cores_make_items_end_late_that_all_started_at_once(tmp_path):
    analysis = analyse(waited_then_computed(tmp_path).write())
    assert analysis.evidence.is_healthy, "judged by waits alone"
    assert analysis.verdict.id == "core-contention"
    assert "ended late because the cores were busy" in analysis.verdict.text
    finding = found(analysis)["core-contention"]
    # In turns on two cores, 20 x 500 ms of CPU take 5 s; each item needs 0.5 s of that.
    assert finding.item_seconds == pytest.approx(20 * 4.5, rel=0.03)
    assert finding.ended_late
    assert any(
        "need 5 s of CPU time" in line for line in finding.evidence
    ), "the least time in which two cores do this work"
    assert "healthy" not in found(analysis)
    assert "oversubscribed" not in found(analysis), "fewer threads would have had to wait one after the other"


@pytest.mark.parametrize(("late", "ended"), [(260, True), (500, False)])
def test_what_dwarfs_late_starts_is_what_is_told(tmp_path, late, ended):
    """Each item lacks a core for 4.5 s after its start, and waits a quarter or half of a second before it."""
    builder = waited_then_computed(tmp_path)
    builder.length += late * MS
    builder.rows["streams"][0]["end"] += late * MS
    for row in builder.rows["work_items"]:
        row["dequeue"] += late * MS
        row["end"] += late * MS
    for row in builder.rows["thread_states"]:
        row["start"] += late * MS
        row["end"] += late * MS
    analysis = analyse(builder.write())
    assert not analysis.evidence.is_healthy
    assert analysis.evidence.is_slowed == ended
    assert ("ended late because the cores were busy" in analysis.verdict.text) == ended


def test_items_a_little_short_of_cores_are_healthy(tmp_path):
    # Three threads on two cores lack a core a third of the time.
    builder = CaptureBuilder(tmp_path, length=2000 * MS, limits=(3, 32767))
    for i in range(3):
        builder.item(0, 0, 1500 * MS, 200 + i, [("running", 1000 * MS), ("ready", 500 * MS)])
    assert analyse(builder.write()).verdict.id == "healthy"


def test_many_short_waits_for_a_core_that_nobody_notices_are_healthy(tmp_path):
    # Each item lacks a core for three times as long as it has one: 6 ms.
    builder = CaptureBuilder(tmp_path, length=2000 * MS)
    for i in range(100):
        begin = i * 15 * MS
        builder.item(begin, begin, begin + 8 * MS, 200, [("ready", 6 * MS), ("running", 2 * MS)])
    assert analyse(builder.write()).verdict.id == "healthy"


def test_one_of_many_items_that_lacked_a_core_slows_nobody(tmp_path):
    # Recorded with trickle-v3 beside a machine's nightly jobs: one item of 600 lacked a core for 59 ms.
    builder = CaptureBuilder(tmp_path, length=3000 * MS)
    for i in range(600):
        begin = i * 4 * MS
        late = [("ready", 59 * MS)] if i == 599 else []
        builder.item(begin, begin, begin + MS // 50 + (59 * MS if late else 0), 200, [*late, ("running", MS // 50)])
    assert analyse(builder.write()).verdict.id == "healthy"


def test_one_item_of_many_that_lacked_a_core_for_seconds_is_not_healthy(tmp_path):
    builder = CaptureBuilder(tmp_path, length=5000 * MS)
    for i in range(600):
        begin = i * 4 * MS
        late = [("ready", 1500 * MS)] if i == 599 else []
        builder.item(begin, begin, begin + MS // 50 + (1500 * MS if late else 0), 200, [*late, ("running", MS // 50)])
    analysis = analyse(builder.write())
    assert analysis.verdict.id == "core-contention" and "ended late" in analysis.verdict.text


def test_a_quota_that_stops_started_items_is_named(tmp_path):
    builder = CaptureBuilder(tmp_path, length=4200 * MS, limits=(1, 1))
    builder.manifest["target"] |= {"cpu_quota": 0.25, "cpus_allowed": 1}
    builder.item(0, 0, 4000 * MS, 200, [("running", 25 * MS), ("ready", 75 * MS)] * 40)
    for period in range(40):
        start = period * 100 * MS
        builder.rows["throttles"].append(
            {"start": start, "end": start + 100 * MS, "periods": 1, "throttled_periods": 1, "throttled": 75 * MS}
        )
    analysis = analyse(builder.write())
    assert analysis.verdict.id == "cgroup-throttled"
    assert "ended late" in analysis.verdict.text
