"""Step functions, compared with their definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from poolscope import native
from poolscope.base import series
from poolscope.base.series import Steps
from ways import NATIVE, way  # noqa: F401

intervals = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)), max_size=12)


@given(intervals)
def test_count_is_the_number_of_open_intervals(pairs):
    begin = np.array([a for a, _ in pairs], dtype=float)
    end = np.array([a + d for a, d in pairs], dtype=float)
    steps = Steps.count(begin, end)
    for t in range(80):
        assert steps.at(t) == sum(a <= t < a + d for a, d in pairs)


@given(intervals, st.integers(0, 60), st.integers(1, 30))
def test_integral_mean_and_maximum_agree_with_sampling(pairs, start, width):
    steps = Steps.count([a for a, _ in pairs], [a + d for a, d in pairs])
    samples = steps.at(np.arange(start, start + width))
    edges = np.array([float(start), float(start + width)])
    assert steps.integral(start, start + width) == samples.sum()
    assert np.isclose(steps.mean(edges)[0], samples.mean())
    assert steps.maximum(edges)[0] == samples.max()


@given(intervals, st.sampled_from([3.0, 7.0]))
def test_bins_keep_the_integral(pairs, width):
    steps = Steps.count([a for a, _ in pairs], [a + d for a, d in pairs])
    assert np.isclose(steps.binned(width).integral(0, 200), steps.integral(0, 200))


def test_the_last_of_several_changes_at_one_time_counts():
    steps = Steps.of_changes([0, 5, 5, 9], [1, 2, 3, 4])
    assert steps.at([-1, 0, 4, 5, 8, 9, 99]).tolist() == [1, 1, 1, 3, 3, 4, 4]


@given(intervals)
def test_equal_weights_of_one_count_as_none(pairs):
    begin, end = [a for a, _ in pairs], [a + d for a, d in pairs]
    plain, weighted = Steps.count(begin, end), Steps.count(begin, end, weight=np.ones(len(pairs)))
    assert plain.time.tolist() == weighted.time.tolist() and plain.value.tolist() == weighted.value.tolist()


@given(intervals)
def test_merging_neighbours_of_equal_value_changes_no_value(pairs):
    steps = Steps.count([a for a, _ in pairs], [a + d for a, d in pairs])
    merged = steps.merged()
    assert (merged.at(np.arange(80)) == steps.at(np.arange(80))).all()
    assert (merged.value[1:] != merged.value[:-1]).all()


def test_two_steps_are_averaged_over_bins_like_many():
    made = Steps(np.array([0.0, 2.5]), np.array([3.0, 0.0])).binned(1.0)
    assert made.at([0, 1.9, 2, 2.9, 3]).tolist() == [3, 3, 1.5, 1.5, 0]
    assert Steps.constant(3.0).binned(1.0).at(7.0) == 3.0


@given(intervals, intervals, st.integers(-10, 70))
def test_two_step_functions_are_combined_at_every_time(pairs, others, start):
    one = Steps.count([a for a, _ in pairs], [a + d for a, d in pairs], float(start))
    other = Steps.count([a for a, _ in others], [a + d for a, d in others])
    both = one.combine(other, np.subtract)
    assert both.time.tolist() == sorted({*one.time.tolist(), *other.time.tolist()})
    for t in both.time:
        assert both.at(t) == one.at(t) - other.at(t)


@given(intervals, st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=3, max_size=20))
def test_intervals_that_touch_have_the_integrals_of_each_alone(pairs, gaps):
    steps = Steps.count([a for a, _ in pairs], [a + d for a, d in pairs])
    end = np.cumsum([gap + length for gap, length in gaps]).astype(float)
    begin = end - [length for _, length in gaps]
    alone = [float(steps.integral(b, e)) for b, e in zip(begin, end, strict=True)]
    before, series.MANY = series.MANY, 1
    try:
        assert steps.integral(begin, end).tolist() == alone
    finally:
        series.MANY = before


def test_whole_numbers_combine_with_fractions():
    whole, half = Steps(np.array([0.0, 1.0]), np.array([0, 1])), Steps(np.array([0.0, 2.0]), np.array([0.5, 1.5]))
    assert whole.combine(half, np.add).value.tolist() == [0.5, 1.5, 2.5]


def in_bins(count, longest):
    """Returns weighted intervals of five groups, counted and counted in bins. One group is left out."""
    generator = np.random.default_rng((count, longest))
    begin = generator.integers(0, 1000, count)
    end = begin + generator.integers(0, longest, count)
    group, weight = generator.integers(0, 5, count), generator.uniform(0.1, 3.0, 5)
    chosen = np.array([True, True, False, True, True])
    mine = chosen[group]
    one = Steps.count(begin[mine], end[mine], weight=weight[group[mine]]).binned(10.0)
    return one, Steps.count_in_bins(begin, end, group, weight, 10, chosen)


@pytest.mark.parametrize("count", [0, 1, 2, 500])
@pytest.mark.parametrize("longest", [1, 7, 300])
def test_counted_in_bins_is_counted_and_then_binned(monkeypatch, way, count, longest):
    monkeypatch.setattr(series, "AT_ONCE", 64)
    one, other = in_bins(count, longest)
    edges = np.arange(0.0, 1500.0, 2.5)
    np.testing.assert_allclose(other.at(edges), one.at(edges), rtol=1e-12, atol=1e-12)


@NATIVE
def test_bins_are_the_same_with_the_extension_and_without(monkeypatch):
    monkeypatch.setattr(series, "AT_ONCE", 64)
    with_code = in_bins(500, 300)[1]
    monkeypatch.setattr(native, "extension", None)
    without = in_bins(500, 300)[1]
    assert (with_code.time.tolist(), with_code.value.tolist()) == (without.time.tolist(), without.value.tolist())
