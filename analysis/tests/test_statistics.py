"""Quantiles of items if only a lower bound of some is known."""

import numpy as np
import pytest
from poolscope.base.statistics import quantile, summarise_ms


def arrays(durations, censored=()) -> tuple[np.ndarray, np.ndarray]:
    return np.array(durations, dtype=np.int64), np.isin(np.arange(len(durations)), censored)


@pytest.mark.parametrize("p, expected", [(0.5, 5), (0.9, 9), (0.99, 10), (0.05, 1)])
def test_without_censoring_it_is_the_empirical_quantile(p, expected):
    bound = quantile(*arrays([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]), p)
    assert (bound.value, bound.at_least) == (expected, False)


def test_the_textbook_kaplan_meier_example():
    # 1, 2+, 3, 4+, 5: survival 0.8 after 1, 0.8 * 2/3 after 3, then 0 after 5.
    data = arrays([1, 2, 3, 4, 5], censored=[1, 3])
    assert quantile(*data, 0.2).value == 1
    assert not quantile(*data, 0.2).at_least
    assert quantile(*data, 0.46).value == 3
    assert quantile(*data, 0.5).value == 5 and quantile(*data, 0.5).at_least


def test_a_quantile_that_is_never_reached_is_at_least_the_longest():
    bound = quantile(*arrays([1, 2, 100, 100], censored=[2, 3]), 0.9)
    assert (bound.value, bound.at_least) == (100, True)


def test_summary_says_which_numbers_are_bounds():
    summary = summarise_ms(*arrays([10**6, 2 * 10**6, 3 * 10**6], censored=[2]))
    assert summary["p50"] == 2 and summary["max"] == 3
    assert summary["at_least"] == ["mean", "p90", "p99", "max"]


def test_nothing_is_not_zero():
    assert summarise_ms(*arrays([]))["mean"] is None
