"""Student's t, compared with printed tables and closed forms."""

import math

import pytest
from poolscope.base.student import quantile, two_sided_p

TABLE = [(0.975, 1, 12.7062), (0.975, 2, 4.3027), (0.975, 4, 2.7764), (0.95, 10, 1.8125), (0.995, 30, 2.7500)]


@pytest.mark.parametrize("probability, freedom, expected", TABLE)
def test_quantiles_are_those_of_the_tables(probability, freedom, expected):
    assert quantile(probability, freedom) == pytest.approx(expected, abs=5e-5)


def test_the_normal_distribution_is_the_limit():
    assert quantile(0.975, 1e9) == pytest.approx(1.959964, abs=5e-4)


@pytest.mark.parametrize("t", [0.0, 0.3, 1.0, 4.0, 50.0])
def test_closed_forms_of_one_and_two_degrees(t):
    assert two_sided_p(t, 1) == pytest.approx(1 - 2 / math.pi * math.atan(t), abs=1e-9)
    assert two_sided_p(t, 2) == pytest.approx(1 - t / math.sqrt(2 + t * t), abs=1e-9)


@pytest.mark.parametrize("freedom", [1.0, 2.0, 2.94, 3.7, 58.0])
def test_p_and_quantile_are_inverse(freedom):
    assert two_sided_p(quantile(0.99, freedom), freedom) == pytest.approx(0.02, rel=1e-6)


def test_what_is_no_probability_is_refused():
    with pytest.raises(ValueError):
        quantile(1.0, 3)
