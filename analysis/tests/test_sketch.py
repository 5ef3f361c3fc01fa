"""The sketch: its error is at most ALPHA, sums are exact, and a merge equals a sketch of all values."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolscope.base.statistics import quantile
from poolscope.base.sketch import ALPHA, EMPTY, Sketch, from_json, merged, sketch_of, to_json

SHARES = (0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0)
durations = st.lists(st.integers(0, 10**14), min_size=1, max_size=200).map(lambda v: np.array(v, dtype=np.int64))


def same(a: Sketch, b: Sketch) -> bool:
    return to_json(a) == to_json(b)


@given(durations, st.floats(0.001, 1.0))
def test_every_quantile_is_within_its_error(values, share):
    exact = quantile(values, np.zeros(len(values), dtype=bool), share).value
    # There is one bucket below 2 ns; the middle of the others is at most ALPHA off.
    assert sketch_of(values).quantile(share).value == pytest.approx(exact, rel=ALPHA * (1 + 1e-9), abs=1)


@pytest.mark.parametrize("seed", range(5))
def test_merged_percentiles_of_long_tails_are_within_a_hundredth(seed):
    draw = np.random.default_rng(seed)
    parts = [(draw.lognormal(draw.uniform(8, 18), draw.uniform(0.5, 3), 5_000)).astype(np.int64) for _ in range(40)]
    whole, together = merged(map(sketch_of, parts)), np.concatenate(parts)
    for share in SHARES:
        exact = quantile(together, np.zeros(len(together), dtype=bool), share).value
        assert whole.quantile(share).value == pytest.approx(exact, rel=0.01)
    assert (whole.total, whole.count, whole.most) == (int(together.sum()), len(together), int(together.max()))


@given(durations, durations, durations)
def test_merging_is_associative_and_commutative_and_loses_nothing(a, b, c):
    one, two, three = map(sketch_of, (a, b, c))
    assert same(merged([merged([one, two]), three]), merged([one, merged([two, three])]))
    assert same(merged([one, two]), merged([two, one]))
    assert same(merged([one, two, three]), sketch_of(np.concatenate((a, b, c))))
    assert same(merged([one, EMPTY]), one)


def test_a_quantile_beyond_the_least_lower_bound_is_one():
    values = np.arange(1, 101, dtype=np.int64) * 1_000_000
    bounds = np.zeros(100, dtype=bool)
    bounds[79] = True
    made = sketch_of(values, bounds)
    assert not made.quantile(0.5).at_least and made.quantile(0.9).at_least
    assert merged([made, sketch_of(values)]).bounds == 1


@given(durations)
def test_it_travels_as_json(values):
    made = sketch_of(values)
    assert same(from_json(json.loads(json.dumps(to_json(made)))), made)


@pytest.mark.parametrize(
    "change",
    [
        {"bucket": [1, 1, 10**9]}, {"bucket": "x"}, {"number": [0, 1, 1]}, {"number": [1.5, 1, 1]}, {"total": None},
        {"total": 1 << 70}, {"bucket": [5, 0, 1]}, {"least": -1}, {"number": [1, 1]},
    ],
)  # fmt: skip
def test_what_no_sketch_has_is_refused(change):
    content = to_json(sketch_of(np.array([10, 1000, 100_000], dtype=np.int64))) | change
    with pytest.raises(ValueError):
        from_json(content)
