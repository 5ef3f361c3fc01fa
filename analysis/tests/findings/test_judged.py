"""The verdict of a capture with several incidents: that of the costliest one that matters, and of all that have its
cause."""

import pytest
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder, sleepers
from synthetic_stacks import Stacks

SHORT_OF_THREADS, SUSPENDED = "injection-delay", "runtime-suspended"


def crowd(builder, folder, at, count=20):
    """Adds items of 500 ms on two threads and a goal that grows to four: 20 items lose 31 item-seconds to injection
    delay."""
    changes = ((1000 * MS, 3), (2000 * MS, 4))
    threads = lambda t: 2 + sum(when <= t for when, _ in changes)  # noqa: E731
    source = sleepers(
        folder, count=count, gap=10 * MS, sleep=500 * MS, threads=threads, limits=(2, 32767), changes=changes
    )
    for row in source.rows["work_items"]:
        states = [("running", MS // 10), ("blocked", 500 * MS - MS // 10)]
        builder.item(row["enqueue"] + at, row["dequeue"] + at, row["end"] + at, row["worker_tid"], states)
    for time, goal in changes:
        builder.change(time + at, goal)
    builder.change(at + 6000 * MS, 2, "ThreadTimedOut")


def collection(builder, at, length):
    """Adds eight items on two cores. A suspension of `length` ms begins while the first two run, and six items wait for
    it."""
    for i in range(8):
        start = at if i < 2 else at + (length + 10 + 10 * (i // 2 - 1)) * MS
        if i < 2:
            work = [("running", MS), ("blocked", length * MS), ("running", 9 * MS)]
        else:
            work = [("running", 10 * MS)]
        builder.item(at, start, start + sum(d for _, d in work), 900 + i % 2, work)
    builder.suspension(at + MS, at + (length + 1) * MS)


def one_late(builder, at, wait=300):
    builder.item(at, at + wait * MS, at + (wait + 1) * MS, 950, [("running", MS)])


@pytest.fixture
def builder(tmp_path):
    return CaptureBuilder(tmp_path / "capture", length=60_000 * MS)


def told(analysis):
    """Returns (start s, matters, verdict, costliest) of each incident."""
    return [
        (round(i["start_s"]), i["matters"], i["verdict"] and i["verdict"]["id"], i["costliest"])
        for i in analysis.to_json()["incidents"]
    ]


@pytest.mark.parametrize(("suspended", "cause"), [(2000, SHORT_OF_THREADS), (8000, SUSPENDED)])
def test_of_two_causes_the_verdict_is_the_costlier_one_s(builder, tmp_path, suspended, cause):
    crowd(builder, tmp_path / "a", 0)
    collection(builder, 20_000 * MS, suspended)
    one_late(builder, 50_000 * MS)
    analysis = analyse(builder.write())
    assert analysis.verdict.id == cause
    assert told(analysis) == [
        (0, True, SHORT_OF_THREADS, cause == SHORT_OF_THREADS),
        (20, True, SUSPENDED, cause == SUSPENDED),
        (50, False, None, False),
    ]
    # The sentence describes the late items of that incident, not an average over all.
    late = {SHORT_OF_THREADS: 18, SUSPENDED: 6}[cause]
    assert analysis.verdict.text.startswith(f"{late} of 29 work items started ")
    assert analysis.evidence.count == late
    mean = {SHORT_OF_THREADS: 1.7, SUSPENDED: suspended / 1000}[cause]
    assert analysis.evidence.mean_wait_ms == pytest.approx(mean * 1000, rel=0.03)


def test_incidents_of_one_cause_are_spoken_of_together(builder, tmp_path):
    crowd(builder, tmp_path / "a", 0)
    crowd(builder, tmp_path / "b", 20_000 * MS, count=15)
    collection(builder, 40_000 * MS, 1500)
    analysis = analyse(builder.write())
    assert [i[2] for i in told(analysis)] == [SHORT_OF_THREADS, SHORT_OF_THREADS, SUSPENDED]
    each = [i["late"] for i in analysis.to_json()["incidents"]]
    assert analysis.verdict.id == SHORT_OF_THREADS and analysis.evidence.count == each[0] + each[1]


def test_where_nothing_matters_it_is_healthy_and_says_what_was_late(builder):
    for at in range(5):
        one_late(builder, (5000 + at * 5000) * MS, wait=60 + at)
    builder.item(0, MS // 100, 10 * MS, 200, [("running", 9 * MS)])
    analysis = analyse(builder.write())
    assert told(analysis) == [(5 + 5 * at, False, None, False) for at in range(5)]
    assert analysis.verdict.id == "healthy" and {f.id for f in analysis.findings} <= {"healthy", "coverage-low"}
    assert "within 60 ms: too short to matter" in analysis.to_json()["incidents"][0]["why_not"]
    assert analysis.to_json()["fixes"] == []


def test_the_blame_of_an_incident_is_of_its_own_time(builder, tmp_path):
    crowd(builder, tmp_path / "a", 0)
    collection(builder, 20_000 * MS, 2000)
    stacks = Stacks(builder)
    dispatch = "System.Threading.ThreadPoolWorkQueue.Dispatch"
    for tid in range(200, 204):
        for time in range(20 * MS, 4000 * MS, 100 * MS):
            stacks.snapshot(tid, time, stacks.stack("System.Threading.Thread.Sleep", "App.Nap", dispatch))
    first, second = analyse(builder.write()).to_json()["incidents"]
    assert [row["method"] for row in first["blame"]][:1] == ["App.Nap"]
    assert not [row for row in second["blame"] if row["method"] == "App.Nap"]
