"""Captures of reference pools, through the same decoder and analysis as the runtime's own pool."""

import json

import pytest
from live.kernel import with_kernel
from poolscope.__main__ import run

pytestmark = pytest.mark.live

SIZE = ("--count", "100", "--work-ms", "300")


def verified(analysis, capsys):
    """Returns the output of `poolscope verify --json`."""
    capsys.readouterr()
    assert run(["verify", str(analysis.capture.path), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("pool", ["fixed:10", "net11"])
def test_ground_truth_agrees_with_the_tables(captured, capsys, pool):
    analysis = captured("trickle-v1", *SIZE, "--pool", pool)
    figures = verified(analysis, capsys)
    assert figures["items"] == figures["joined"] == 100
    assert figures["start_latency_error_us"]["median"] <= 200
    assert figures["residual_ns"] in (0, None)
    assert analysis.coverage.lost == analysis.coverage.other_pool_items == 0
    assert analysis.coverage.pool == pool
    assert analysis.coverage.limits_known == "event"


def test_a_fixed_pool_never_waits_for_threads_and_net11_does(captured):
    fixed, net11 = (with_kernel(captured("trickle-v1", *SIZE, "--pool", pool)) for pool in ("fixed:10", "net11"))
    assert fixed.verdict.id == "blocked-at-cap"
    assert fixed.to_json()["attribution"]["wait_share"]["injection"] <= 0.01
    assert fixed.to_json()["pool"]["goal_first"] == fixed.to_json()["pool"]["goal_peak"] == 10
    assert "injection-delay" in {f.id for f in net11.findings}
    changes = net11.capture.table("pool_changes")
    added = changes["time"].to_numpy()[changes["reason"].to_numpy() == 6]
    assert len(added) == 10 - int(net11.attribution.pool.goal.value[0])
    gaps = (added[1:] - added[:-1]) / 1e9
    assert gaps.min() >= 0.49 and sorted(gaps)[len(gaps) // 2] < 0.6


def test_what_is_awaited_comes_back_to_the_pool_and_the_runtime_s_timers_are_left_out(captured, capsys):
    analysis = captured("trickle-v3", *SIZE, "--pool", "net11")
    assert verified(analysis, capsys)["joined"] == 100
    # Each item has a first part and a continuation after its await; the timers in between are items of the runtime.
    assert analysis.coverage.items == 200
    assert analysis.coverage.other_pool_items >= 1
    assert analysis.verdict.id == "healthy"
