"""The threads that held the cores while a worker was ready, and when that is a neighbour's fault."""

import pytest
from poolscope.capture import open_capture
from poolscope.executions.competitors import competitors, unseen_share
from poolscope.measures.cores import find_antagonists
from poolscope.product import analyse
from poolscope.report import render
from synthetic import MS, CaptureBuilder

TARGET = 100
NEIGHBOUR = 900


def fired(analysis):
    return {f.id for f in analysis.findings}


def queued_spinners(folder, neighbours, kernel=True):
    """Builds twenty items of 50 ms of CPU on two workers and two cores. Each worker runs for 1 ms and then waits while
    `neighbours` threads of another process take 1 ms each on its core, in turn."""
    round_trip = (1 + neighbours) * MS
    took = 50 * round_trip
    builder = CaptureBuilder(folder, length=10 * took + 10 * MS, limits=(2, 2), kernel=kernel)
    builder.thread(TARGET, TARGET, "app").thread(NEIGHBOUR, NEIGHBOUR, "hog")
    for worker in (0, 1):
        builder.thread(200 + worker, TARGET, ".NET TP Worker")
        for n in range(neighbours):
            builder.thread(NEIGHBOUR + 10 * worker + n, NEIGHBOUR, "hog")
    for i in range(20):
        start = (i // 2) * took
        states = [("running", MS), ("ready", round_trip - MS)] * 50 if neighbours else [("running", took)]
        builder.item(0, start, start + took, 200 + i % 2, states)
    for worker in (0, 1):
        for lap in range(500):
            for n in range(neighbours):
                at = lap * round_trip + (1 + n) * MS
                tid = NEIGHBOUR + 10 * worker + n
                builder.state(tid, at, at + MS, "running")
                builder.state(tid, at + MS, (lap + 1) * round_trip + (1 + n) * MS, "ready")
    return builder


def test_core_time_is_divided_by_who_had_it_and_counted_once_however_many_workers_are_ready(tmp_path):
    builder = CaptureBuilder(tmp_path, length=100 * MS)
    for tid, pid, name in (
        (TARGET, TARGET, "app"),
        (300, TARGET, ".NET Server GC"),
        (301, TARGET, ".NET BGC"),
        (302, TARGET, "Item generator"),
        (NEIGHBOUR, NEIGHBOUR, "hog"),
        (901, NEIGHBOUR, "hog-thread"),
    ):
        builder.thread(tid, pid, name)
    for worker in (200, 201, 202):
        builder.thread(worker, TARGET, ".NET TP Worker")
    # Both workers are ready from 10 to 60 ms: that is 50 ms, not 100.
    builder.item(0, 0, 60 * MS, 200, [("running", 60 * MS)])
    for worker in (201, 202):
        builder.item(0, 0, 60 * MS, worker, [("blocked", 10 * MS), ("ready", 50 * MS)])
    builder.state(300, 0, 20 * MS, "running")  # 10 ms of it in the contended time
    builder.state(301, 20 * MS, 25 * MS, "running")
    builder.state(302, 25 * MS, 30 * MS, "running")
    builder.state(NEIGHBOUR, 30 * MS, 40 * MS, "running")
    builder.state(777, 50 * MS, 55 * MS, "running")  # no row in `threads`
    builder.thread(800, NEIGHBOUR, ".NET Server GC")  # a GC thread, but of another process
    builder.state(800, 58 * MS, 60 * MS, "running")
    builder.state(901, 40 * MS, 90 * MS, "running")  # 20 ms of it
    found = find_antagonists(builder.write())
    assert found.contended == 50 * MS
    assert {e["group"]: e["core_ms"] for e in found.processes()} == {
        "own-workers": 50,
        "own-gc": 15,
        "own-other": 5,
        "other-process": 32,
        "unknown": 5,
    }
    hog = next(e for e in found.processes() if e["group"] == "other-process")
    assert (hog["pid"], hog["process"], hog["threads"], hog["share"]) == (
        NEIGHBOUR,
        "hog",
        3,
        round(32 / 107, 6),
    )
    assert [t["name"] for t in hog["top_threads"]] == ["hog-thread", "hog", ".NET Server GC"]
    # A thread of unknown process counts as no neighbour.
    assert found.share("other-process") == 32 / 107


@pytest.mark.fires("noisy-neighbour")
def test_a_process_that_takes_most_of_the_cores_is_the_verdict(tmp_path):
    analysis = analyse(queued_spinners(tmp_path, neighbours=4).write())
    assert analysis.verdict.id == "noisy-neighbour"
    neighbour = next(f for f in analysis.findings if f.id == "noisy-neighbour")
    core = analysis.evidence.item_seconds(analysis.attribution.split.parts.core)
    # A worker is ready in 4 ms of 5, and the neighbour has all core time in these; in the fifth the workers have the
    # cores.
    assert neighbour.item_seconds == pytest.approx(0.8 * core, rel=0.01)
    assert "hog (900)" in " ".join(neighbour.evidence)


def test_the_process_that_made_the_recording_is_told_apart(tmp_path):
    builder = queued_spinners(tmp_path, neighbours=1)
    builder.manifest["tool"]["pid"] = NEIGHBOUR
    said = next(f for f in analyse(builder.write()).findings if f.id == "noisy-neighbour").evidence
    assert any(f"hog ({NEIGHBOUR}, which made this recording): " in sentence for sentence in said)


@pytest.mark.fires("core-contention")
@pytest.mark.quiet("noisy-neighbour")
def test_the_workers_own_demand_stays_core_contention(tmp_path):
    analysis = analyse(queued_spinners(tmp_path, neighbours=0).write())
    assert analysis.verdict.id == "core-contention"
    assert "noisy-neighbour" not in fired(analysis)


def test_a_neighbour_is_not_charged_with_waiting_behind_workers_that_had_their_cores(tmp_path):
    # Like the workload cashiers on two threads: the workers compute throughout, and a neighbour runs a twentieth of it.
    builder = CaptureBuilder(tmp_path, length=4100 * MS, limits=(2, 2))
    builder.thread(NEIGHBOUR, NEIGHBOUR, "hog")
    for worker in (0, 1):
        builder.thread(200 + worker, TARGET, ".NET TP Worker").thread(901 + worker, NEIGHBOUR, "hog")
        for i in range(10):
            start = i * 400 * MS
            builder.item(0, start, start + 400 * MS, 200 + worker, [("running", 380 * MS), ("ready", 20 * MS)])
            builder.state(901 + worker, start + 380 * MS, start + 400 * MS, "running")
    analysis = analyse(builder.write())
    assert analysis.evidence.neighbours_share == pytest.approx(1.0)
    assert analysis.verdict.id == "core-contention"
    assert "noisy-neighbour" not in fired(analysis)


def test_contention_is_divided_between_the_two_rules_and_the_costlier_one_is_the_verdict(tmp_path):
    # Three workers take turns on two cores, and a neighbour runs a tenth of the time.
    builder = CaptureBuilder(tmp_path, length=3100 * MS, limits=(3, 3))
    builder.thread(NEIGHBOUR, NEIGHBOUR, "hog")
    for i in range(30):
        start = (i // 3) * 300 * MS
        slots = [("running", 100 * MS)] * 2
        slots.insert(i % 3, ("ready", 100 * MS))
        builder.thread(200 + i % 3, TARGET, ".NET TP Worker")
        builder.item(0, start, start + 300 * MS, 200 + i % 3, slots)
    for lap in range(10):
        builder.state(NEIGHBOUR, lap * 300 * MS, lap * 300 * MS + 200 * MS, "running")
    analysis = analyse(builder.write())
    cost = {f.id: f.item_seconds for f in analysis.findings}
    core = analysis.evidence.item_seconds(analysis.attribution.split.parts.core)
    share = analysis.evidence.antagonists.share("other-process")
    assert share == pytest.approx(1 / 4)
    assert cost["noisy-neighbour"] == pytest.approx(share * core)
    assert cost["core-contention"] == pytest.approx((1 - share) * core)
    assert analysis.verdict.id == "core-contention"


def test_nobody_waiting_is_nobodys_fault(tmp_path):
    builder = CaptureBuilder(tmp_path, length=10_000 * MS)
    builder.thread(NEIGHBOUR, NEIGHBOUR, "hog").state(NEIGHBOUR, 0, 10_000 * MS, "running")
    for i in range(50):
        builder.item(i * 100 * MS, i * 100 * MS + MS // 10, i * 100 * MS + MS, 200, [("running", 9 * MS // 10)])
    assert fired(analyse(builder.write())) == {"healthy"}


def test_without_a_kernel_stream_it_is_not_known_and_the_page_says_so(tmp_path):
    analysis = analyse(queued_spinners(tmp_path, neighbours=0, kernel=False).write())
    assert {r.id: r.status for r in analysis.rules}["noisy-neighbour"] == "not-applicable"
    assert analysis.to_json()["antagonists"] is None
    assert "sees the threads of other processes" in render(analysis.to_json())


def seen_alone(builder, tier):
    """Returns the same capture as recorded by a tier that sees only the target's threads."""
    for row in builder.rows["streams"]:
        row["tier"] = row["tier"].replace("tracepoint", tier)
    builder.rows["thread_states"] = [row for row in builder.rows["thread_states"] if row["tid"] < NEIGHBOUR]
    return builder


@pytest.mark.parametrize("tier", ["switch", "schedstat"])
def test_a_tier_that_sees_the_target_alone_infers_others_and_does_not_name_them(tmp_path, tier):
    analysis = analyse(seen_alone(queued_spinners(tmp_path, neighbours=3), tier).write())
    assert analysis.verdict.id == "noisy-neighbour"
    assert analysis.verdict.confidence != "high"
    assert "does not name the others" in " ".join(analysis.findings[0].evidence)
    assert analysis.to_json()["antagonists"] is None


@pytest.mark.parametrize("tier", ["switch", "schedstat"])
def test_without_others_nobody_is_inferred(tmp_path, tier):
    analysis = analyse(seen_alone(queued_spinners(tmp_path, neighbours=0), tier).write())
    assert {r.id: r.status for r in analysis.rules}["noisy-neighbour"] == "passed"
    assert analysis.verdict.id == "core-contention"


def under_a_quota(folder, tier, stopped=False):
    """Builds two workers that got a quarter of a core each, with a quota of one core. If `stopped`, it ran out
    throughout."""
    builder = seen_alone(queued_spinners(folder, neighbours=3), tier)
    builder.manifest["target"]["cpu_quota"] = 1.0
    if stopped:
        for start in range(0, builder.length, 100 * MS):
            row = {"start": start, "end": start + 100 * MS, "periods": 1, "throttled_periods": 1, "throttled": 1}
            builder.rows["throttles"].append(row)
    return builder.write()


@pytest.mark.parametrize("tier", ["switch", "schedstat"])
def test_under_a_quota_that_nobody_watched_nobody_is_inferred(tmp_path, tier):
    under_a_quota(tmp_path, tier)
    (tmp_path / "tables" / "throttles.npz").unlink()
    analysis = analyse(open_capture(tmp_path))
    assert {r.id: r.status for r in analysis.rules}["noisy-neighbour"] == "not-applicable"
    assert competitors(analysis.capture).all.value.max() == 0


@pytest.mark.parametrize("tier", ["switch", "schedstat"])
def test_a_quota_that_never_ran_out_took_no_core(tmp_path, tier):
    builder = seen_alone(queued_spinners(tmp_path, neighbours=3), tier)
    builder.manifest["target"]["cpu_quota"] = 1.9
    assert analyse(builder.write()).verdict.id == "noisy-neighbour"


@pytest.mark.parametrize("tier", ["switch", "schedstat"])
def test_while_a_quota_ran_out_nobody_else_is_charged(tmp_path, tier):
    capture = under_a_quota(tmp_path, tier, stopped=True)
    assert unseen_share(capture) == 0
    assert competitors(capture).all.value.max() == pytest.approx(0, abs=1e-6)


def test_a_poll_of_long_steps_is_averaged_over_ten_of_them(tmp_path):
    builder = CaptureBuilder(tmp_path, length=1000 * MS, tier="schedstat")
    builder.manifest["streams"] = [{"file": "schedstat.bin", "tier": "schedstat", "poll_step_ns": 50 * MS}]
    for worker in (200, 201):
        # The worker waits in the first of two steps and runs in the second, so it had half a core over both.
        builder.item(0, 0, 1000 * MS, worker, [("ready", 50 * MS), ("running", 50 * MS)] * 10)
    capture = builder.write()
    assert unseen_share(capture) == pytest.approx(1 / 2)
    assert competitors(capture).all.at([0, 499 * MS, 999 * MS]) == pytest.approx([2.0] * 3)
