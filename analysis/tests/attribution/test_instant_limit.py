"""The limit of the pool at each instant, on captures constructed to have a known one."""

from __future__ import annotations

import numpy as np
import pytest
from poolscope import native
from poolscope.attribution import attribute
from poolscope.measures.cores import measure_core_use
from poolscope.measures.instant_limit import LIMITS, time_by_limit
from synthetic import MS, CaptureBuilder
from ways import NATIVE, way  # noqa: F401

pytestmark = pytest.mark.usefixtures("way")  # the extension walks through the counts, NumPy looks them up

LENGTH = 4000 * MS
EDGES = np.linspace(0.0, LENGTH, 9)


def blocked(builder, worker, start, end):
    return builder.item(start, start, end, worker, [("blocked", end - start)])


def held(capture):
    """Returns the ms of each limit over the whole capture."""
    time = time_by_limit(capture, attribute(capture), EDGES)
    return {name: ns / MS for name, ns in zip(LIMITS, time.sum(axis=0)) if ns > 0.001 * MS}


def two_blocked(folder, limits=(2, 32767), **options):
    """Two workers blocked from 0 to 3 s; a third item queued from 1 s until one of them is free."""
    builder = CaptureBuilder(folder, length=LENGTH, limits=limits, **options)
    blocked(builder, 200, 0, 3000 * MS)
    blocked(builder, 201, 0, 3000 * MS)
    builder.item(1000 * MS, 3000 * MS, 3001 * MS, 200, [("running", MS)])
    return builder


def test_gate_where_the_goal_is_reached_and_nothing_moves(tmp_path):
    assert held(two_blocked(tmp_path).write()) == {"gate": pytest.approx(2000)}


def test_cap_where_the_goal_is_the_maximum(tmp_path):
    assert held(two_blocked(tmp_path, limits=(2, 2)).write()) == {"cap": pytest.approx(2000)}


def test_goal_where_items_end_all_the_time(tmp_path):
    builder = CaptureBuilder(tmp_path, length=LENGTH)
    blocked(builder, 200, 0, 3000 * MS)
    for start in range(0, 3000, 100):  # one after the other, with an end at least every 500 ms
        blocked(builder, 201, start * MS, (start + 100) * MS)
    builder.item(1000 * MS, 3000 * MS, 3001 * MS, 200, [("running", MS)])
    assert held(builder.write()) == {"goal": pytest.approx(2000)}


def test_suspended_goes_before_everything(tmp_path):
    builder = two_blocked(tmp_path, limits=(2, 2)).suspension(1200 * MS, 1700 * MS)
    assert held(builder.write()) == {"suspended": pytest.approx(500), "cap": pytest.approx(1500)}


def test_cores_where_a_worker_is_ready(tmp_path):
    builder = CaptureBuilder(tmp_path, length=LENGTH)
    blocked(builder, 200, 0, 3000 * MS)
    builder.item(0, 0, 3000 * MS, 201, [("blocked", 1500 * MS), ("ready", 500 * MS), ("blocked", 1000 * MS)])
    builder.item(1000 * MS, 3000 * MS, 3001 * MS, 200, [("running", MS)])
    assert held(builder.write()) == {"cores": pytest.approx(500), "gate": pytest.approx(1500)}


def test_cores_where_items_run_on_all_of_them(tmp_path):
    builder = CaptureBuilder(tmp_path, length=LENGTH)
    for worker in (200, 201):
        builder.item(0, 0, 3000 * MS, worker, [("running", 3000 * MS)])
    builder.item(1000 * MS, 3000 * MS, 3001 * MS, 200, [("running", MS)])
    assert held(builder.write()) == {"cores": pytest.approx(2000)}


def test_none_where_the_pool_has_room(tmp_path):
    builder = CaptureBuilder(tmp_path, length=LENGTH).item(1000 * MS, 1700 * MS, 1701 * MS, 200, [("running", MS)])
    assert held(builder.write()) == {"none": pytest.approx(700)}


def test_time_falls_into_its_bins(tmp_path):
    capture = two_blocked(tmp_path).write()
    time = time_by_limit(capture, attribute(capture), EDGES)  # bins of 500 ms
    assert (time.sum(axis=1) / MS).tolist() == pytest.approx([0, 0, 500, 500, 500, 500, 0, 0])


def test_no_limit_is_named_without_a_kernel_stream(tmp_path):
    capture = two_blocked(tmp_path, kernel=False).write()
    assert time_by_limit(capture, attribute(capture), EDGES) is None


def test_core_use_tells_the_target_from_others(tmp_path):
    builder = CaptureBuilder(tmp_path, length=LENGTH)
    builder.item(0, 0, 1250 * MS, 200, [("running", 1250 * MS)])
    builder.thread(100, 100, "app").thread(900, 900, "burner")
    builder.state(100, 1000 * MS, 1250 * MS, "running").state(900, 250 * MS, 4000 * MS, "running")
    builder.state(0, 0, 4000 * MS, "running")  # the idle thread
    use = measure_core_use(builder.write(), EDGES)
    assert use.target.tolist() == pytest.approx([1, 1, 1, 0, 0, 0, 0, 0])
    assert use.others.tolist() == pytest.approx([0.5, 1, 1, 1, 1, 1, 1, 1])


def test_others_are_not_known_where_only_the_target_is_seen(tmp_path):
    builder = CaptureBuilder(tmp_path, length=LENGTH, tier="switch")
    builder.item(0, 0, 500 * MS, 200, [("running", 500 * MS)])
    use = measure_core_use(builder.write(), EDGES)
    assert use.others is None and use.target[0] == pytest.approx(1)


def test_core_use_is_unknown_without_a_kernel_stream(tmp_path):
    assert measure_core_use(two_blocked(tmp_path, kernel=False).write(), EDGES) is None


@NATIVE
def test_the_extension_and_numpy_give_the_same_bits(tmp_path, monkeypatch):
    builder, generator = CaptureBuilder(tmp_path, length=LENGTH, limits=(2, 3)), np.random.default_rng(3)
    for worker in (200, 201, 202):
        for start in np.cumsum(generator.integers(7 * MS, 60 * MS, 60)).tolist():
            states = generator.choice(["running", "ready", "blocked"], 2)
            parts = [(str(state), int(generator.integers(1, 3 * MS))) for state in states]
            builder.item(start - 6 * MS, start, start + sum(part for _, part in parts), worker, parts)
    builder.suspension(1200 * MS, 1700 * MS)
    capture = builder.write()
    attribution, edges = attribute(capture), np.linspace(0.0, LENGTH, 14)
    with_code = time_by_limit(capture, attribution, edges)
    assert (with_code.sum(axis=0) > 0).sum() >= 3
    monkeypatch.setattr(native, "extension", None)
    np.testing.assert_array_equal(with_code, time_by_limit(capture, attribution, edges))
