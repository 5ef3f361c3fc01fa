"""The figures of one simulated run, compared with their definitions."""

import numpy as np
import pytest
from poolscope.base.series import Steps
from poolscope.replay.simulate import GoalChanges, Simulated
from poolscope.whatif.prediction import median, medians, run_figures, statistics

MS = 1e6
NO_CHANGES = GoalChanges(np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


@pytest.mark.parametrize("count", [1, 2, 3, 49, 50, 51, 99, 100, 101, 200, 1001])
def test_quantiles_are_those_of_the_empirical_distribution(count):
    values = np.random.default_rng(count).integers(0, 10**9, count).astype(float)
    told = statistics(values)
    assert told["mean"] == pytest.approx(values.mean() / MS)
    assert told["p50"] == np.quantile(values, 0.5, method="inverted_cdf") / MS
    assert told["p99"] == np.quantile(values, 0.99, method="inverted_cdf") / MS
    assert told["max"] == values.max() / MS


def test_of_nothing_every_figure_is_zero():
    assert statistics(np.zeros(0)) == {"mean": 0.0, "p50": 0.0, "p99": 0.0, "max": 0.0}


def test_the_median_is_the_lower_one_so_that_inf_does_not_spread():
    assert median([3.0, 1.0, 2.0]) == 2.0
    assert median([4.0, 1.0, 3.0, 2.0]) == 2.0
    assert median([np.inf, 1.0]) == 1.0
    runs = [dict.fromkeys(("mean", "p50", "p99", "max"), float(v)) for v in (5, 1, 3)]
    assert medians(runs) == runs[2]


def outcome(arrival, start, end, threads=(1.0, 4.0, 2.0)):
    arrived, started, ended = (np.array(c, dtype=float) * MS for c in (arrival, start, end))
    steps = Steps(np.arange(len(threads), dtype=float), np.array(threads))
    return Simulated(
        arrived, started, ended, threads=steps, goal_changes=NO_CHANGES, most_at_once=2, context_switches=7.5
    )


def test_only_own_items_count_and_what_never_happened_is_inf():
    made = outcome(
        arrival=[0, 10, 20, np.inf, 0], start=[5, 10, 50, np.inf, 0], end=[25, 40, np.inf, np.inf, 9999], threads=(1, 6)
    )
    run = run_figures(made, 4, stop=30 * MS, delay_ms=3.5)
    # The fourth never arrives: it counts as stuck from 0, like one that never starts.
    assert run.wait_ms == {"mean": np.inf, "p50": 5.0, "p99": np.inf, "max": np.inf}
    # The waits 5, 0, 30 and inf, as seen until 30 ms, are 5, 0, 10 and 30.
    assert run.seen_wait_ms == {"mean": 11.25, "p50": 5.0, "p99": 30.0, "max": 30.0}
    assert run.completion_ms["p50"] == 30.0 and run.completion_ms["max"] == np.inf
    assert (run.items, run.stuck, run.deadlock) == (4, 2, True)
    assert (run.peak_threads, run.context_switches, run.delay_ms) == (6, 7.5, 3.5)
    assert run.end_ms == np.inf
    whole = run_figures(outcome([0, 1], [2, 3], [4, 5]), 2, stop=9 * MS, delay_ms=0.0)
    assert (whole.end_ms, whole.stuck, whole.deadlock, whole.at_once) == (5.0, 0, False, 2)
