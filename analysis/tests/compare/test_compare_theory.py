"""The statistics against theory: known intervals, the rate of false alarms, the trap of resampling items, power."""

import math
from collections import Counter

import numpy as np
import pytest
from poolscope.compare.comparison import compare_runs
from poolscope.compare.judge import CANNOT_TELL, LONGER, NO_CHANGE, SHORTER, between_runs, judge
from poolscope.compare.quantity import REPLICATES, _times_drawn, block_length, replicates
from numbered_runs import noisy, run


def verdict(a, b, key="wait.mean"):
    return next(row for row in judge(a, b) if row.quantity.key == key)


def test_welch_by_hand():
    # Variances 1 and 4 over three runs each: error sqrt(5/3), freedom (5/3)^2 / (1/9/2 + 16/9/2) = 50/17.
    found = between_runs([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])
    assert found.estimate == pytest.approx(2.0)
    assert found.error == pytest.approx(math.sqrt(5 / 3))
    assert found.freedom == pytest.approx(50 / 17)
    low, high = found.interval
    # t(0.975, 50/17) lies between the values for 2 and 3 degrees of freedom, 4.303 and 3.182.
    assert 3.182 < (high - low) / 2 / found.error < 4.303
    assert (low + high) / 2 == pytest.approx(2.0)


def test_equal_spread_and_size_give_the_pooled_interval():
    found = between_runs([1.0, 2.0, 3.0], [11.0, 12.0, 13.0])
    assert found.freedom == pytest.approx(4)
    assert found.interval == pytest.approx((10 - 2.77645 * math.sqrt(2 / 3), 10 + 2.77645 * math.sqrt(2 / 3)), abs=1e-4)


def test_a_ratio_is_judged_by_logarithms():
    a = [run({"wait.mean": v}) for v in (90.0, 100.0, 1000 / 9)]
    b = [run({"wait.mean": 2 * v}) for v in (90.0, 100.0, 1000 / 9)]
    row = verdict(a, b)
    assert row.a_ms == pytest.approx(100.0) and row.b_ms == pytest.approx(200.0)
    estimate, low, high = row.change_share
    assert estimate == pytest.approx(1.0)
    # Symmetric in the logarithm: (1 + low)(1 + high) = (1 + estimate)^2.
    assert (1 + low) * (1 + high) == pytest.approx(4.0)
    assert row.change_ms[0] == pytest.approx(100.0)


def test_changes_of_the_parts_add_up_to_that_of_the_wait():
    a = [run({"injection.mean": 10.0 + i, "core.mean": 5.0 + i}) for i in range(3)]
    b = [run({"injection.mean": 40.0 + i, "core.mean": 4.0 + i}) for i in range(3)]
    parts = verdict(a, b, "injection.mean").change_ms[0] + verdict(a, b, "core.mean").change_ms[0]
    assert parts == pytest.approx(30.0 - 1.0)


@pytest.mark.parametrize("sd", [0.005, 0.04])
def test_alarms_over_sides_that_are_alike_are_rarer_than_one_in_twenty(sd):
    draw = np.random.default_rng(5)
    repeats = 300
    alarms = found = 0
    for _ in range(repeats):
        rows = judge([noisy(draw, sd) for _ in range(3)], [noisy(draw, sd) for _ in range(3)])
        alarms += any(row.verdict in (LONGER, SHORTER) for row in rows)
        found += rows[0].difference.p < 0.05
    # Four standard errors above the nominal rate; Welch's own rate with three runs is 3.5 %.
    most = 0.05 + 4 * math.sqrt(0.05 * 0.95 / repeats)
    assert alarms / repeats < most
    assert 0.01 < found / repeats < most


def test_a_change_by_a_fifth_is_found_where_runs_differ_by_three_percent():
    draw = np.random.default_rng(6)
    seen = Counter(
        verdict([noisy(draw, 0.03) for _ in range(3)], [noisy(draw, 0.03, 120.0) for _ in range(3)]).verdict
        for _ in range(100)
    )
    assert seen[LONGER] >= 90 and seen[SHORTER] == 0


def test_resampling_items_falls_into_the_trap_and_the_comparison_does_not():
    """Runs differ by 6 % from each other, while their items give each run's mean to under 1 %."""
    draw = np.random.default_rng(7)
    repeats, items = 40, 5_000
    naive = ours = single = 0

    def one():
        own = float(np.exp(draw.normal(0, 0.06)))
        return (draw.gamma(1.0, 100.0 * own, items) * 1e6).astype(np.int64)

    def as_run(waits):
        spread = float(np.std(np.log(replicates({"wait": waits}, frozenset())["wait"]["mean"]), ddof=1))
        return run({"wait.mean": float(waits.mean()) / 1e6}, spread=spread)

    for _ in range(repeats):
        a, b = [one() for _ in range(3)], [one() for _ in range(3)]
        error = math.hypot(*(float(np.std(x, ddof=1)) / math.sqrt(items) for x in (a[0], b[0])))
        naive += abs(float(a[0].mean() - b[0].mean())) > 1.96 * error
        ours += verdict([as_run(x) for x in a], [as_run(x) for x in b]).verdict in (LONGER, SHORTER)
        single += verdict([as_run(a[0])], [as_run(b[0])]).verdict in (LONGER, SHORTER)
    assert naive > 0.7 * repeats
    assert ours <= 0.12 * repeats
    assert single <= 0.12 * repeats


def test_the_standard_error_of_independent_items_is_that_of_theory():
    draw = np.random.default_rng(8)
    items = 8_000
    waits = (draw.exponential(100.0, items) * 1e6).astype(np.int64)
    found = replicates({"wait": waits}, frozenset({"wait"}))["wait"]
    of_mean = float(np.std(found["mean"], ddof=1)) / 1e6
    assert of_mean == pytest.approx(100 / math.sqrt(items), rel=0.2)
    # The error of a median: sqrt(p(1 - p)/n) over the density, which is ln 2's 1/200 here.
    of_median = float(np.std(found["p50"], ddof=1)) / 1e6
    assert of_median == pytest.approx(math.sqrt(0.25 / items) * 200, rel=0.25)


def test_blocks_see_that_neighbours_wait_alike():
    draw = np.random.default_rng(9)
    items, memory = 8_000, 0.8
    value, series = 0.0, []
    for shock in draw.normal(0, 1, items):
        value = memory * value + shock
        series.append(1000.0 + value)
    found = replicates({"wait": (np.array(series) * 1e6).astype(np.int64)}, frozenset())["wait"]["mean"]
    independent = float(np.std(series)) / math.sqrt(items)
    truth = 1 / (1 - memory) / math.sqrt(items)
    assert truth > 2.9 * independent
    assert 0.7 * truth < float(np.std(found, ddof=1)) / 1e6 < 1.2 * truth


def test_every_block_is_drawn_whole_and_around_the_end():
    starts = np.array([0, 3, 8, 9])
    expected = Counter((start + i) % 10 for start in starts for i in range(3))
    assert _times_drawn(starts, 3, 10).tolist() == [expected[i] for i in range(10)]


@pytest.mark.parametrize("items", [1, 2, 7])
def test_a_handful_of_items_can_be_resampled(items):
    found = replicates({"wait": np.arange(1, items + 1) * 1_000_000}, frozenset({"wait"}))["wait"]
    assert block_length(items) <= items
    assert found["p99"].shape == (REPLICATES,) and found["p99"].max() <= items * 1e6 and found["mean"].min() >= 1e6


def test_resampling_is_repeatable():
    waits = np.arange(500) * 1_000_000
    first, second = (replicates({"wait": waits}, frozenset({"wait"}))["wait"] for _ in range(2))
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_two_runs_a_side_are_no_narrower_than_they_show():
    apart = [run({"wait.mean": v}) for v in (50.0, 200.0)]
    alike = [run({"wait.mean": v}) for v in (100.0, 100.0)]
    assert verdict(apart, alike).difference.error > 2 * verdict(alike, alike).difference.error


def test_single_runs_say_so():
    found = compare_runs([run()], [run({"wait.mean": 300.0})])
    assert found.method == "single runs"
    assert found.to_json()["text"].startswith("Single runs: Items wait longer: mean wait +200 %")
    assert any(note.startswith("Single runs:") for note in found.notes())
    assert found.row("wait.mean").verdict == LONGER
    assert verdict([run()], [run({"wait.mean": 110.0})]).verdict in (NO_CHANGE, CANNOT_TELL)
