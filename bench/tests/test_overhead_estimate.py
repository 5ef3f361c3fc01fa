"""Bounds of the overhead benchmark, compared with tables and with simulation."""

import math

import numpy as np
import pytest

from overhead import estimate


# One-sided 95 % and two-sided 95 % (0.975) quantiles from any printed table of Student's t.
@pytest.mark.parametrize(
    ("probability", "freedom", "expected"),
    [(0.95, 1, 6.314), (0.95, 5, 2.015), (0.95, 9, 1.833), (0.95, 30, 1.697), (0.975, 9, 2.262)],
)
def test_quantiles_are_those_of_the_tables(probability, freedom, expected):
    assert estimate.t_quantile(probability, freedom) == pytest.approx(expected, abs=0.001)


def test_the_mean_of_differences_with_its_bound():
    bound = estimate.mean([1.0, 2.0, 3.0, 4.0, 5.0])
    # 3 + t(4) x sqrt(2.5 / 5), t(4) = 2.132
    assert (bound.value, bound.pairs) == (3.0, 5)
    assert bound.upper == pytest.approx(3 + 2.132 * math.sqrt(0.5), abs=0.001)


def test_one_pair_bounds_nothing():
    assert estimate.mean([3.0]).upper == math.inf
    assert estimate.ratio([3.0], [6.0]) == estimate.Bound(0.5, math.inf, 1)


def test_a_ratio_without_noise_is_its_own_bound():
    bound = estimate.ratio([2.0, 4.0, 6.0], [4.0, 8.0, 12.0])
    assert bound.value == pytest.approx(0.5) and bound.upper == pytest.approx(0.5, abs=1e-6)


def test_at_the_bound_of_a_ratio_the_difference_is_just_not_significant():
    rng = np.random.default_rng(3)
    top, bottom = rng.normal(3, 0.4, 10), rng.normal(10, 1, 10)
    bound = estimate.ratio(list(top), list(bottom))
    assert bound.upper > bound.value
    assert estimate.mean(list(top - bound.upper * bottom)).upper == pytest.approx(0, abs=1e-6)


def test_a_denominator_that_may_be_zero_bounds_nothing():
    assert estimate.ratio([1.0, 1.1, 0.9], [0.1, -0.1, 0.05]).upper == math.inf


def test_the_bound_holds_in_95_of_100_repetitions():
    rng = np.random.default_rng(11)
    trials = 2000
    held = 0
    for _ in range(trials):
        shared = rng.normal(0, 0.5, 10)  # noise of a round affects both
        bound = estimate.ratio(list(rng.normal(2, 0.5, 10) + shared), list(rng.normal(6, 1, 10) + shared))
        held += bound.upper >= 2 / 6
    assert held / trials == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize(
    "call", [lambda: estimate.mean([]), lambda: estimate.ratio([], []), lambda: estimate.ratio([1], [1, 2])]
)
def test_nothing_to_estimate_is_an_error(call):
    with pytest.raises(ValueError):
        call()
