"""Advice for more threads names a lock that hardly any thread waits for now but that more threads would queue for."""

import pytest
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder

METHOD = "Shop.Orders.Place"


def sleepers_with_a_lock(folder, met=True, limits=(2, 2), stacks=True):
    """Builds forty items of 500 ms on two threads; the last 40 ms are under one lock, for which the first two
    contend."""
    builder = CaptureBuilder(folder, length=10_500 * MS, limits=limits)
    for i in range(40):
        late = 40 * MS if i % 2 else 0
        start = i // 2 * 500 * MS + (late if i > 1 else 0)
        end = (i // 2 + 1) * 500 * MS + late
        slept = [("blocked", end - start - 41 * MS), ("running", MS), ("blocked", 40 * MS)]
        builder.item(0, start, end, 200 + i % 2, slept)
    if met:
        builder.contention(201, 500 * MS, 540 * MS, lock=440, owner=200)
        if stacks:
            names = ["System.Threading.ThreadPoolWorkQueue.Dispatch", METHOD, "System.Threading.Monitor.Enter"]
            builder.rows["frames"] = [{"method": name, "resolved": 1} for name in names]
            builder.rows["stacks"] = [{"id": i, "parent": i - 1, "frame": i} for i in range(3)]
            builder.rows["waits"][0]["stack"] = 2
    return builder


def first_advice(analysis):
    assert analysis.verdict.id == "blocked-at-cap"
    return analysis.findings[0].advice[0]


def test_one_wait_is_enough_to_name_the_lock_and_what_it_allows(tmp_path):
    analysis = analyse(sleepers_with_a_lock(tmp_path).write())
    said = first_advice(analysis)
    assert f"leaves out a lock in {METHOD}: 1 work item of 40 met another there and waited 40 ms" in said
    # 40 ms for each item in turn: at most 39 turns of waiting, and half of that on average.
    assert "cannot fall below 780 ms" in said
    assert not any("DOTNET_" in line for line in analysis.findings[0].advice), "there is nothing left to look for"


def test_without_stacks_there_is_a_lock_all_the_same(tmp_path):
    said = first_advice(analyse(sleepers_with_a_lock(tmp_path, stacks=False).write()))
    assert "leaves out a lock: 1 work item of 40" in said


def test_where_none_was_met_it_says_how_to_find_one(tmp_path):
    analysis = analyse(sleepers_with_a_lock(tmp_path, met=False).write())
    assert "may serve only a few at once" in first_advice(analysis) and "leaves out" not in first_advice(analysis)
    said = analysis.findings[0].advice[1]
    assert (
        "DOTNET_ThreadPool_ForceMinWorkerThreads=14 DOTNET_ThreadPool_ForceMaxWorkerThreads=14 poolscope collect "
        "-- COMMAND (hexadecimal: 20 threads)" in said
    )


def test_a_lock_that_would_hold_nobody_up_is_not_worth_a_warning(tmp_path):
    builder = sleepers_with_a_lock(tmp_path)
    builder.rows["waits"][0]["start"] = 539 * MS  # a millisecond each: 20 of 4,800
    assert "leaves out" not in first_advice(analyse(builder.write()))


def test_advice_of_more_threads_warns_of_it_too(tmp_path):
    analysis = analyse(sleepers_with_a_lock(tmp_path, limits=(2, 32767)).write())
    finding = next(f for f in analysis.findings if f.id == "injection-delay")
    assert f"a lock in {METHOD}" in next(line for line in finding.advice if "minimum worker threads" in line)
    quiet = analyse(sleepers_with_a_lock(tmp_path / "quiet", met=False, limits=(2, 32767)).write())
    finding = next(f for f in quiet.findings if f.id == "injection-delay")
    assert any("no item queued for in this run" in line for line in finding.advice)


@pytest.mark.quiet("blocked-at-cap")
def test_a_convoy_is_told_by_its_own_rule(tmp_path):
    builder = CaptureBuilder(tmp_path, length=3000 * MS, limits=(4, 4))
    for i in range(4):
        builder.item(0, 0, (i + 1) * 500 * MS, 200 + i, [("blocked", (i + 1) * 500 * MS)])
        if i:
            builder.contention(200 + i, 0, i * 500 * MS, owner=200)
    analysis = analyse(builder.write())
    assert analysis.verdict.id == "lock-convoy"
    assert not any("leaves out" in line for f in analysis.findings for line in f.advice)


def test_no_floor_is_above_what_was_measured(tmp_path):
    builder = sleepers_with_a_lock(tmp_path)
    # One wait of 450 ms: over 40 items in turn 8.8 s on average, and the measured delay is half of that.
    builder.rows["waits"][0]["start"] = 90 * MS
    said = first_advice(analyse(builder.write()))
    assert "cannot fall below" not in said
