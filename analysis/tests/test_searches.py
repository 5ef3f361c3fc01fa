"""Native lookups give the same numbers as NumPy's, to the bit, in every order of requests."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from poolscope import native
from poolscope.base import lookup, searches
from poolscope.base.lookup import Runs
from ways import NATIVE, way  # noqa: F401

MANY = searches.FEW + 1


def _asked(generator, low, high, order):
    """Returns more numbers than NumPy is used for, in the order of events, thread by thread, or at random."""
    numbers = generator.integers(low, high, 4 * MANY)
    return {
        "time": np.sort(numbers),
        "thread": np.sort(numbers.reshape(4, -1), axis=1).ravel(),
        "none": numbers,
        "back": np.sort(numbers)[::-1],
    }[order]


ORDERS = pytest.mark.parametrize("order", ["time", "thread", "none", "back"])


@ORDERS
@pytest.mark.parametrize("kind", [np.float64, np.int64, np.int32])
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("rows", [0, 1, 2, 3, 1000])
def test_rows_before_is_searchsorted(way, order, kind, side, rows):
    generator = np.random.default_rng(rows)
    ordered = np.sort(generator.integers(-50, 50 + rows, rows)).astype(kind)
    asked = _asked(generator, -60, 60 + rows, order).astype(kind)
    np.testing.assert_array_equal(
        searches.rows_before(ordered, asked, side=side), np.searchsorted(ordered, asked, side=side)
    )


@NATIVE
@given(
    st.lists(st.integers(-5, 40), min_size=1, max_size=40),
    st.integers(0, 2**32 - 1),
    st.sampled_from(["left", "right"]),
)
@settings(max_examples=200)
def test_any_rows_and_any_numbers(rows, seed, side):
    ordered = np.sort(np.array(rows, dtype=np.float64))
    asked = np.random.default_rng(seed).integers(-8, 44, MANY) / 2
    np.testing.assert_array_equal(
        searches.rows_before(ordered, asked, side=side), np.searchsorted(ordered, asked, side=side)
    )


@ORDERS
@pytest.mark.parametrize("rows", [1, 2, 777])
def test_values_and_areas_are_those_of_the_step_function(way, order, rows):
    generator = np.random.default_rng(rows)
    time = np.cumsum(generator.integers(1, 9, rows)).astype(np.float64)
    value = generator.normal(size=rows)
    area = np.concatenate(([0.0], np.cumsum(value[:-1] * np.diff(time))))
    asked = _asked(generator, 0, 9 * rows, order) + 0.25
    step = np.maximum(np.searchsorted(time, asked, side="right") - 1, 0)
    assert searches.values(time, value, asked).tobytes() == value[step].tobytes()
    found = searches.areas(time, value, searches.area_marks(time, value), asked)
    assert found.tobytes() == ((asked - time[step]) * value[step] + area[step]).tobytes()


@ORDERS
@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("kinds", [(np.int32, np.int64), (np.int64, np.int64)])
def test_latest_is_the_last_row_of_the_thread_up_to_the_time(way, order, in_order, kinds):
    generator = np.random.default_rng(5)
    of_tid, of_time = generator.integers(100, 105, 300).astype(kinds[0]), generator.integers(-20, 400, 300)
    sorted_rows = np.lexsort((of_time, of_tid))
    if in_order:
        of_tid, of_time = of_tid[sorted_rows], of_time[sorted_rows]
    time = _asked(generator, -30, 420, order)
    tid = generator.integers(99, 107, len(time)).astype(kinds[0])
    row, found = lookup.latest(of_tid, of_time, tid, time)
    for i in generator.integers(0, len(time), 400):
        candidates = [r for r in range(300) if of_tid[r] == tid[i] and of_time[r] <= time[i]]
        assert found[i] == bool(candidates)
        if candidates:
            assert row[i] == max(candidates, key=lambda r: (of_time[r], r))


@pytest.mark.parametrize("sizes", [(0, 2 * MANY), (2 * MANY, 0), (MANY, MANY), (3, 3 * MANY), (0, 0), (2, 3)])
@pytest.mark.parametrize("start", [-1.0, 1.0, 7.5, 9.0 * MANY])
def test_counted_is_how_many_more_of_the_first_lie_up_to_each_number(way, sizes, start):
    generator = np.random.default_rng(sum(sizes))
    first, second = (generator.integers(0, 2 * MANY, size) for size in sizes)
    axis, value = searches.counted(first, second, start)
    first.sort(), second.sort()
    np.testing.assert_array_equal(axis, np.unique(np.append(np.concatenate((first, second)), start)))
    more = np.searchsorted(first, axis, side="right") - np.searchsorted(second, axis, side="right")
    assert value.dtype == np.float64 and value.tolist() == more.tolist()


@pytest.mark.parametrize("sizes", [(1, 2 * MANY), (2 * MANY, 1), (MANY, MANY), (3, 3 * MANY), (2, 3)])
def test_combined_has_the_values_of_both_step_functions_at_each_time(way, sizes):
    generator = np.random.default_rng(sum(sizes))
    first, second = (
        (np.cumsum(generator.integers(1, 9, size)).astype(np.float64), generator.normal(size=size)) for size in sizes
    )
    axis, *values = searches.combined(first, second)
    np.testing.assert_array_equal(axis, np.union1d(first[0], second[0]))
    for (time, value), found in zip((first, second), values, strict=True):
        assert found.tobytes() == value[np.maximum(np.searchsorted(time, axis, side="right") - 1, 0)].tobytes()


@NATIVE
@ORDERS
def test_latest_of_is_the_last_row_of_the_group_up_to_the_time(order):
    """The groups are unordered, and one requested group has no rows."""
    generator = np.random.default_rng(8)
    column = np.repeat([7, 3, 12], [40, 1, 90])
    time = np.concatenate([np.sort(generator.integers(0, 400, n)) for n in (40, 1, 90)])
    runs = Runs.of(column)
    asked = _asked(generator, -10, 420, order)
    group = generator.choice([3, 7, 9, 12], len(asked))
    row = searches.latest_of(time, (runs.first, runs.count), runs.number(group), asked)
    for i in generator.integers(0, len(asked), 400):
        assert row[i] == max((r for r in range(131) if column[r] == group[i] and time[r] <= asked[i]), default=-1)


def test_runs_name_the_rows_of_each_group_whatever_their_order():
    runs = Runs.of(np.array([5, 5, 2, 9, 9, 9]))
    assert [column.tolist() for column in (runs.group, runs.first, runs.count)] == [[2, 5, 9], [2, 0, 3], [1, 2, 3]]
    assert runs.number(np.array([9, 4, 2, 10, -1, 5])).tolist() == [2, -1, 0, -1, -1, 1]
    assert Runs.of(np.zeros(0, dtype=np.int64)).number(np.array([3])).tolist() == [-1]


@NATIVE
def test_told_looks_past_as_many_rows_of_one_time_as_it_is_told():
    of: Any = np.array([1, 4, 2, 3, 9], dtype=np.int32)
    time = np.array([1, 5, 5, 5, 8])
    asked, tid = np.array([5, 5, 5, 1, 8, 9, 0]), np.array([4, 2, 3, 2, 9, 9, 1])
    assert searches.told(time, of, asked, tid, 2).tolist() == [True, True, False, False, True, False, False]
    assert searches.told(time[:0], of[:0], asked, tid, 2).tolist() == [False] * 7


@NATIVE
def test_both_ways_name_the_same_row_where_there_is_none(monkeypatch):
    generator = np.random.default_rng(6)
    of_tid = np.repeat(np.arange(10, 14), 50)
    of_time = np.sort(generator.integers(0, 1000, (4, 50)), axis=1).ravel()
    asked = generator.integers(8, 16, 5 * MANY), generator.integers(-10, 1010, 5 * MANY)
    there = lookup.latest(of_tid, of_time, *asked)
    monkeypatch.setattr(native, "extension", None)
    for with_code, without in zip(there, lookup.latest(of_tid, of_time, *asked), strict=True):
        np.testing.assert_array_equal(with_code, without)


@NATIVE
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ((np.zeros(4, dtype=np.float32), np.zeros(4), np.zeros(4), np.zeros(4)), "argument 1: .* float64"),
        ((np.zeros(4, dtype=np.int64), np.zeros(4), np.zeros(4), np.zeros(4)), "argument 1: .* float64"),
        ((np.zeros(4), np.zeros(8)[::2], np.zeros(4), np.zeros(4)), "argument 2: a contiguous array"),
        ((np.zeros(4), [0.0] * 4, np.zeros(4), np.zeros(4)), "argument 2: a contiguous array"),
        ((np.zeros(4), np.zeros(4), np.zeros(4), np.zeros(4).astype(">f8")), "argument 4: a contiguous, writable"),
        ((np.zeros(4), np.zeros(4), np.zeros(4), bytes(32)), "argument 4: a contiguous, writable"),
        ((np.zeros(4), np.zeros(4), np.zeros(4)), "4 arguments are needed, not 3"),
    ],
)
def test_an_array_of_another_type_is_refused(wrong, said):
    with pytest.raises(TypeError, match=said):
        native.extension.values(*wrong)


@NATIVE
@pytest.mark.parametrize("lengths", [(3, 4, 5, 5), (4, 3, 5, 5), (4, 4, 5, 4)])
def test_columns_of_different_lengths_are_refused(lengths):
    with pytest.raises(ValueError, match="differ in length"):
        native.extension.values(*(np.zeros(length) for length in lengths))


@NATIVE
def test_a_merge_without_room_for_all_is_refused():
    with pytest.raises(ValueError, match="room"):
        native.extension.counted(np.zeros(3), np.ones(2), np.zeros(4), np.zeros(4))


def test_marks_that_do_not_fit_their_steps_are_refused():
    steps = np.arange(100.0)
    for marks in (12, 14):
        with pytest.raises(ValueError, match="marks"):
            native.extension.areas(steps, steps, np.zeros(marks), steps, np.empty(100))


def test_a_number_that_is_none_ends_a_merge_and_harms_nothing():
    rows = np.append(np.arange(2.0 * searches.FEW), np.nan)
    axis, value = searches.counted(rows, np.arange(3.0), 0.0)
    assert len(axis) == len(value) >= 2 * searches.FEW
    step = (rows, np.ones(len(rows)))
    assert len(searches.combined(step, (np.arange(3.0), np.zeros(3)))[0]) >= 2 * searches.FEW
