"""CPU capacity that changes while the capture runs."""

import numpy as np
import pytest
from poolscope.base.series import Steps
from poolscope.executions.capacity import capacity, core_count, cores_over_time, cores_while
from poolscope.executions.competitors import competitors
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder


def pinned(folder, told=True):
    """Builds two workers on two cores, and on one core from 1 s on. A pair of items of 100 ms of CPU each arrives every
    250 ms. On two cores both run at once; on one core they take turns, so each takes 200 ms."""
    builder = CaptureBuilder(folder, length=2000 * MS, limits=(2, 2))
    if told:
        builder.cores(0, 2).cores(1000 * MS, 1)
    for i in range(8):
        at = i * 250 * MS
        turns = [("running", 50 * MS), ("ready", 50 * MS)] * 2 if at >= 1000 * MS else [("running", 100 * MS)]
        other = [("ready", 50 * MS), ("running", 50 * MS)] * 2 if at >= 1000 * MS else turns
        length = sum(d for _, d in turns)
        builder.item(at, at, at + length, 200, turns)
        builder.item(at, at, at + length, 201, other)
    return builder.write()


def test_steps_begin_with_the_first_look_and_end_with_the_window(tmp_path):
    builder = CaptureBuilder(tmp_path, length=1000 * MS)
    builder.cores(5 * MS, 2).cores(400 * MS, 0.5).cores(2000 * MS, 8)
    capture = builder.write()
    cores = cores_over_time(capture)
    assert cores.time.tolist() == [0, 400 * MS] and cores.value.tolist() == [2.0, 0.5]
    assert core_count(capture) == 2.0


def test_without_the_table_the_manifest_holds(tmp_path):
    builder = CaptureBuilder(tmp_path, length=1000 * MS)
    builder.manifest["target"]["cpu_quota"] = 1.5
    capture = builder.write()
    assert cores_over_time(capture).value.tolist() == [1.5] == [core_count(capture)]


def test_the_ladder_has_one_core_from_the_change_on(tmp_path):
    capture = pinned(tmp_path)
    analysis = analyse(capture)
    ladder = analysis.attribution.split.ladder
    late = analysis.attribution.items.enqueue >= 1000 * MS
    # As recorded: each item needs 100 ms of CPU and takes twice as long once one core is left.
    assert ladder.as_is[~late] == pytest.approx(np.zeros(8), abs=MS)
    assert ladder.as_is[late] == pytest.approx(np.full(8, 100 * MS), abs=MS)
    assert analysis.to_json()["capture"]["capacity"] == [{"from_s": 0.0, "cores": 2.0}, {"from_s": 1.0, "cores": 1.0}]


def test_untold_the_replay_knows_nothing_of_it(tmp_path):
    ladder = analyse(pinned(tmp_path, told=False)).attribution.split.ladder
    assert ladder.as_is.max() < MS


@pytest.mark.parametrize("cores", [2.0, np.inf, Steps.constant(2.0)], ids=["two", "any number", "two by a quota"])
def test_no_core_is_there_while_the_runtime_is_suspended_however_many_there_are(cores):
    found = cores_while(Steps.count([10 * MS], [20 * MS]), cores)
    else_ = cores if isinstance(cores, float) else 2.0
    assert found.at([0, 10 * MS, 15 * MS, 20 * MS]).tolist() == [else_, 0, 0, else_]


def throttled(folder):
    """Builds a capture with two cores whose quota ran out from 100 to 200 ms. The worker ran for 40 ms of that time and
    all of the rest; a thread of another process computes throughout."""
    builder = CaptureBuilder(folder, length=300 * MS).thread(200, 100, ".NET TP Worker").thread(900, 900, "hog")
    builder.item(0, 0, 300 * MS, 200, [("running", 140 * MS), ("ready", 60 * MS), ("running", 100 * MS)])
    builder.state(900, 0, 150 * MS, "running").state(900, 150 * MS, 300 * MS, "running")
    row = {"start": 100 * MS, "end": 200 * MS, "periods": 1, "throttled_periods": 1, "throttled": 60 * MS}
    builder.rows["throttles"].append(row)
    return builder.write()


def test_while_a_quota_stops_the_target_it_has_what_it_really_used(tmp_path):
    cores = capacity(throttled(tmp_path))
    assert cores.at([0, 99 * MS, 100 * MS, 199 * MS, 200 * MS]) == pytest.approx([2, 2, 0.4, 0.4, 2])


def test_what_a_quota_took_from_the_workers_does_not_make_a_neighbour_count_for_more(tmp_path):
    """The quota left 0.4 cores for two threads, so the worker's fair share was 20 ms. It had 40, so nothing took CPU
    from it."""
    found = competitors(throttled(tmp_path)).all
    assert found.integral(0, 300 * MS) == pytest.approx(300 * MS, rel=0.01)


def test_of_several_looks_before_the_start_the_last_one_holds_from_the_start_on(tmp_path):
    builder = CaptureBuilder(tmp_path, length=1000 * MS)
    builder.cores(-500 * MS, 8).cores(-5 * MS, 2)
    cores = cores_over_time(builder.write())
    assert (cores.time.tolist(), cores.value.tolist()) == ([0], [2])
