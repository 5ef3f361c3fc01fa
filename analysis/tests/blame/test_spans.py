"""Rows of threads cut to spans, compared with a check of every pair."""

import numpy as np
import pytest
from poolscope.blame.spans import Spans, ThreadRows


def arrays(rows, columns):
    table = np.array(rows, dtype=np.int64).reshape(-1, columns)
    return tuple(table.T)


def as_set(spans, *more):
    return sorted(zip(*(c.tolist() for c in (spans.tid, spans.start, spans.end, *more)), strict=True))


def test_a_wait_inside_another_one_is_found_as_well_as_what_follows_it():
    rows = ThreadRows.of(*arrays([(1, 0, 100, 7), (1, 10, 20, 8), (1, 40, 50, 9), (2, 0, 100, 5)], 4))
    within, value = rows.within(Spans(*arrays([(1, 15, 45)], 3)))
    assert as_set(within, value) == [(1, 15, 20, 8), (1, 15, 45, 7), (1, 40, 45, 9)]


def test_a_thread_without_rows_has_none_within_a_span():
    rows = ThreadRows.of(*arrays([(1, 0, 100, 7), (3, 0, 100, 8)], 4))
    within, _ = rows.within(Spans(*arrays([(2, 0, 50), (4, 0, 50)], 3)))
    assert len(within.tid) == 0


def test_no_rows_at_all_have_nothing_within_anything():
    rows = ThreadRows.of([], [], [])
    within, value = rows.within(Spans(*arrays([(2, 0, 50)], 3)))
    assert len(within.tid) == len(value) == 0


@pytest.mark.parametrize("seed", range(20))
def test_any_rows_within_any_spans_are_those_of_every_pair(seed):
    random = np.random.default_rng(seed)
    tid, start = random.integers(0, 4, 60), random.integers(-20, 200, 60)
    end = start + random.integers(0, 40, 60)
    asked, begin = random.integers(0, 5, 25), random.integers(-40, 220, 25)
    stop = begin + random.integers(0, 30, 25)
    within, value = ThreadRows.of(tid, start, end, np.arange(60)).within(Spans(asked, begin, stop))
    expected = sorted(
        (int(tid[i]), int(max(start[i], begin[k])), int(min(end[i], stop[k])), i)
        for i in range(60)
        for k in range(25)
        if tid[i] == asked[k] and end[i] >= begin[k] and start[i] <= stop[k]
    )
    assert as_set(within, value) == expected


@pytest.mark.parametrize("seed", range(10))
def test_a_union_covers_each_threads_time_once(seed):
    random = np.random.default_rng(seed)
    tid, start = random.integers(0, 3, 40), random.integers(0, 100, 40)
    end = start + random.integers(1, 20, 40)
    union = Spans(tid, start, end).union()
    for thread in range(3):
        covered = {t for i in np.flatnonzero(tid == thread) for t in range(start[i], end[i])}
        told = [t for i in np.flatnonzero(union.tid == thread) for t in range(union.start[i], union.end[i])]
        assert len(told) == len(set(told)) and set(told) == covered


def test_spans_are_cut_to_stretches_whatever_their_thread():
    spans = Spans(*arrays([(1, 0, 10), (2, 10, 30), (1, 40, 50)], 3))
    assert as_set(spans.within(*arrays([(5, 12), (20, 45)], 2))) == [
        (1, 5, 10),
        (1, 40, 45),
        (2, 10, 12),
        (2, 20, 30),
    ]
