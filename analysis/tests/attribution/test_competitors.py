"""Threads that compete with the workers for cores, weighted by the share they take."""

import pytest
from poolscope.capture import open_capture
from poolscope.executions.competitors import competitors, is_inferable
from synthetic import MS, CaptureBuilder


def build(tmp_path, states):
    builder = CaptureBuilder(tmp_path, length=100 * MS)
    for worker in (200, 201):
        builder.item(0, 0, 100 * MS, worker, [("running", 100 * MS)])
    for state in states:
        builder.state(*state)
    return competitors(builder.write()).all


def test_a_hog_that_takes_its_fair_share_counts_as_one(tmp_path):
    # Three runnable threads on two cores: two thirds of a core each.
    found = build(
        tmp_path,
        [(900, i * 3 * MS, i * 3 * MS + 2 * MS, "running") for i in range(33)]
        + [(900, i * 3 * MS + 2 * MS, i * 3 * MS + 3 * MS, "ready") for i in range(33)],
    )
    assert found.integral(0, 99 * MS) == pytest.approx(99 * MS, rel=0.01)


def test_a_thread_that_yields_all_the_time_counts_by_what_it_took(tmp_path):
    found = build(tmp_path, [(900, 0, 90 * MS, "ready"), (900, 90 * MS, 91 * MS, "running")])
    # 91 ms runnable beside two workers: its fair share is two thirds of that, and it took 1 ms.
    assert found.integral(0, 100 * MS) == pytest.approx(91 * MS * 1 / (91 * 2 / 3), rel=0.01)


def test_a_hog_that_the_scheduler_prefers_counts_as_more_than_one(tmp_path):
    # One core: the worker gets a quarter of it beside one other thread, which therefore counts as three workers.
    builder = CaptureBuilder(tmp_path, length=400 * MS)
    builder.item(0, 0, 400 * MS, 200, [("running", MS), ("ready", 3 * MS)] * 100)
    for lap in range(100):
        builder.state(900, lap * 4 * MS, lap * 4 * MS + MS, "ready")
        builder.state(900, lap * 4 * MS + MS, (lap + 1) * 4 * MS, "running")
    builder.manifest["target"]["cpus_allowed"] = 1
    found = competitors(builder.write()).all
    assert found.integral(0, 400 * MS) == pytest.approx(3 * 400 * MS, rel=0.01)


def test_workers_and_blocked_threads_do_not_compete(tmp_path):
    found = build(tmp_path, [(900, 0, 100 * MS, "blocked")])
    assert found.integral(0, 100 * MS) == 0


def test_a_thread_that_runs_for_less_than_a_microsecond_counts_for_all_of_it(tmp_path):
    builder = CaptureBuilder(tmp_path, length=100 * MS)
    builder.item(0, 0, 100 * MS, 200, [("running", 100 * MS)])
    builder.state(900, 10 * MS, 10 * MS + 500, "running")  # on the second core, so it delays no worker
    assert competitors(builder.write()).all.integral(0, 100 * MS) == pytest.approx(500)


def test_a_thread_that_only_waits_for_a_core_takes_nothing_at_all(tmp_path):
    assert build(tmp_path, [(900, 0, 100 * MS, "ready")]).value.max() == 0.0


@pytest.mark.parametrize(("quota", "noted", "told"), [(None, False, True), (1.5, False, False), (1.5, True, True)])
def test_what_others_took_is_told_unless_a_quota_ran_out_that_nobody_looked_at(tmp_path, quota, noted, told):
    builder = CaptureBuilder(tmp_path, length=100 * MS)
    builder.item(0, 0, 100 * MS, 200, [("running", 100 * MS)])
    builder.manifest["target"]["cpu_quota"] = quota
    builder.write()
    if not noted:
        (tmp_path / "tables" / "throttles.npz").unlink()
    assert is_inferable(open_capture(tmp_path)) == told
