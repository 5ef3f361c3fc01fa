"""Rows found by thread and time, and rows in groups, compared with the definition."""

import numpy as np
import pytest
from poolscope.base import lookup
from poolscope.base.lookup import first_after, is_among, latest, lower_medians, numbered, ordered, same_as_before


def of_none(asked):
    return (np.zeros(0, np.int64), np.zeros(0, np.int64), asked, asked)


@pytest.mark.parametrize("ids_fit", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_the_latest_row_is_the_one_that_began_last(seed, ids_fit, monkeypatch):
    if not ids_fit:
        monkeypatch.setattr(lookup, "KEYS", 1)
    random = np.random.default_rng(seed)
    tid, start = random.integers(0, 3, 30), random.permutation(200)[:30]
    asked, time = random.integers(0, 4, 40), random.integers(-10, 220, 40)
    row, found = latest(tid, start, asked, time)
    for k in range(40):
        before = [i for i in range(30) if tid[i] == asked[k] and start[i] <= time[k]]
        assert bool(found[k]) == bool(before)
        if before:
            assert row[k] == max(before, key=lambda i: start[i])


def test_ids_and_times_of_any_size_are_told_apart():
    """Four million threads over a day take 69 bits."""
    tid, time = np.array([1 << 22, -1, 5]), np.array([0, 86_400 * 10**9, 3])
    row, found = latest(tid, time, np.array([-1, 1 << 22, 5, 6]), np.full(4, 86_400 * 10**9))
    assert row[found].tolist() == [1, 0, 2] and found.tolist() == [True, True, True, False]


def test_of_rows_at_one_time_the_last_is_the_latest():
    row, found = latest(np.array([7, 7, 7]), np.array([5, 5, 9]), np.array([7]), np.array([6]))
    assert (row[0], found[0]) == (1, True)


@pytest.mark.parametrize("seed", range(10))
def test_the_first_row_after_is_the_next_of_its_group(seed):
    random = np.random.default_rng(seed)
    group, time = random.integers(0, 3, 30), random.integers(0, 10, 30) * 10
    order = np.lexsort((time, group))
    group, time = group[order], time[order]
    asked, after = random.integers(0, 4, 40), random.integers(-2, 110, 40)
    row, found = first_after(group, time, asked, after)
    for k in range(40):
        later = [i for i in range(30) if group[i] == asked[k] and time[i] > after[k]]
        assert bool(found[k]) == bool(later)
        if later:
            assert row[k] == later[0]


@pytest.mark.parametrize("find", [latest, first_after])
def test_of_no_rows_none_is_found(find):
    row, found = find(*of_none(np.array([2, 3])))
    assert row.shape == found.shape == (2,) and not found.any()
    row, found = find(np.array([1]), np.array([1]), np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert row.shape == found.shape == (0,)


def test_a_row_is_the_same_as_the_one_before_in_every_key():
    assert same_as_before(np.array([1, 1, 1, 2]), np.array([5, 5, 6, 6])).tolist() == [False, True, False, False]
    assert same_as_before(np.zeros(0, np.int64)).tolist() == []


def test_the_lower_median_of_each_group():
    medians = lower_medians(np.array([0, 0, 2, 2, 2, 0, 0]), np.array([4, 1, 9, 7, 8, 3, 2]), 3)
    assert medians[[0, 2]].tolist() == [2.0, 8.0] and np.isnan(medians[1])


def test_rows_from_before_the_beginning_are_found_in_their_own_thread():
    row, found = latest(np.array([1, 2]), np.array([-3, -7]), np.array([1, 2, 1]), np.array([5, 0, 1]))
    assert row.tolist() == [0, 1, 0] and found.all()


def test_threads_whose_numbers_times_the_span_go_round_in_64_bits_stay_apart():
    """Times of 32 bits, and ids that are 2^32 apart, give the same 64 bits."""
    tid, time = np.array([0, 1 << 32]), np.array([5, 7])
    row, found = latest(tid, time, np.array([0, 1 << 32, 0]), np.array([10, 6, (1 << 32) - 1]))
    assert found.tolist() == [True, False, True] and row[[0, 2]].tolist() == [0, 0]


WIDE = np.iinfo(np.int64).max


@pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.int64, np.uint64, np.float64])
@pytest.mark.parametrize("most", [3, WIDE], ids=["fit into 64 bits", "do not"])
@pytest.mark.parametrize("rows", [0, 5, 2 * lookup.MANY])
def test_rows_are_in_the_order_of_lexsort(rows, most, dtype):
    random = np.random.default_rng(rows)
    keys = random.integers(-3, most, rows), random.random(rows) < 0.5, random.integers(0, 9, rows).astype(dtype)
    assert ordered(*keys).tolist() == np.lexsort(keys[::-1]).tolist()


@pytest.mark.parametrize("rows", [[], [7], [7, 7, 7], [9, 9, 3, 3, 3, 5], [3, 9, 3, 3, 5, 9], list(range(50, 0, -1))])
def test_rows_are_numbered_by_their_group_together_or_not(rows):
    group = np.array(rows, dtype=np.int32)
    for ours, numpys in zip(numbered(group), np.unique(group, return_inverse=True), strict=True):
        assert ours.dtype == numpys.dtype and ours.tolist() == numpys.tolist()
    for count in range(4):
        chosen = np.array([3, 5, 100][:count])
        assert is_among(group, chosen).tolist() == np.isin(group, chosen).tolist()
