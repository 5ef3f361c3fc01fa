"""Finds rows: the latest of a thread up to a time, the first after it, the end of a chain, and the rows of a group."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from poolscope.base.searches import FEW, latest_in_order, latest_of, rows_before


def same_as_before(*keys: IntArray) -> BoolArray:
    """Returns whether each row has the same keys as the row before it, shape (rows,); False for the first row."""
    same = np.zeros(len(keys[0]), dtype=bool)
    same[1:] = np.logical_and.reduce([key[1:] == key[:-1] for key in keys])
    return same


def lower_medians(group: IntArray, value: IntArray, groups: int) -> FloatArray:
    """Returns the lower median of the values of each group, shape (groups,); NaN for a group without values."""
    order = ordered(group, value)
    count = np.bincount(group, minlength=groups)
    first = np.cumsum(count) - count
    middle = first + np.maximum(count - 1, 0) // 2
    result = np.full(groups, np.nan)
    some = count > 0
    result[some] = value[order][middle[some]]
    return result


def running_totals(group: IntArray, value: IntArray) -> IntArray:
    """Returns running totals inside each group; the rows of a group are contiguous."""
    total = np.cumsum(value)
    first = np.concatenate((np.ones(min(len(group), 1), dtype=bool), group[1:] != group[:-1]))
    return np.asarray(total - np.repeat((total - value)[first], np.diff(np.append(np.flatnonzero(first), len(group)))))


def numbered(group: AnyArray) -> tuple[AnyArray, IntArray]:
    """Returns np.unique(group, return_inverse=True) without sorting all rows. Faster if the rows of a group are
    contiguous."""
    first, count = runs(group)
    groups, number = np.unique(group[first], return_inverse=True)
    return groups, np.repeat(number, count)


def is_among(group: AnyArray, chosen: AnyArray) -> BoolArray:
    """Returns np.isin(group, chosen); faster in the same case as `numbered`."""
    first, count = runs(group)
    return np.repeat(np.isin(group[first], chosen), count)


def runs(group: AnyArray) -> tuple[IntArray, IntArray]:
    """Returns the first row of each run of one group, and the number of its rows."""
    first = np.flatnonzero(np.append(True, group[1:] != group[:-1])[: len(group)])
    return first, np.diff(np.append(first, len(group)))


@dataclass(frozen=True)
class Runs:
    """The rows of each group in a table whose groups are contiguous, in any order."""

    group: IntArray
    """The groups in ascending order, shape (groups,)."""
    first: IntArray
    """The first row of each group."""
    count: IntArray

    @staticmethod
    def of(group: IntArray) -> Runs:
        first, count = runs(group)
        order = np.argsort(group[first], kind="stable")
        return Runs(group[first][order], first[order], count[order])

    def number(self, group: IntArray) -> IntArray:
        """Returns the index of each given group in `self.group`; -1 if the group has no rows."""
        if len(self.group) == 0:
            return np.full(len(group), -1, dtype=np.int64)
        at = np.minimum(rows_before(self.group, group), len(self.group) - 1)
        return np.where(self.group[at] == group, at, -1)


KEYS = 1 << 63
"""The number of values of an int64, from 0 on."""
MANY = 1_000
"""The number of rows from which it is worth checking whether their keys fit into one number."""


def ordered(*keys: AnyArray) -> IntArray:
    """Returns the stable order of rows by the first key, then by the second, and so on: np.lexsort of the keys in
    reverse. Sorts once instead of once for each key if the keys are whole numbers that fit into 64 bits together."""
    if len(keys[0]) < MANY or not all(np.can_cast(key.dtype, np.int64) for key in keys):
        return np.asarray(np.lexsort(keys[::-1]))
    least = [int(key.min()) for key in keys]
    spans = [int(key.max()) - low + 1 for key, low in zip(keys, least)]
    if math.prod(spans) > KEYS:
        return np.asarray(np.lexsort(keys[::-1]))
    packed = np.subtract(keys[0], least[0], dtype=np.int64)
    for key, low, span in zip(keys[1:], least[1:], spans[1:]):
        packed *= span
        packed += np.subtract(key, low, dtype=np.int64)
    return np.asarray(np.argsort(packed, kind="stable"))


def latest(of_tid: IntArray, of_time: IntArray, tid: IntArray, time: IntArray) -> tuple[IntArray, BoolArray]:
    """Returns for each (tid, time) the row of the same thread with the greatest time up to it, and whether such a row
    exists. If several rows have that time, returns the last one."""
    if len(of_tid) == 0:
        return np.zeros(len(tid), dtype=np.int64), np.zeros(len(tid), dtype=bool)
    if (found := latest_in_order(of_tid, of_time, tid, time)) is not None:
        return found
    if len(time) > FEW and (found := _latest_by_thread(of_tid, of_time, tid, time)) is not None:
        return found
    low = int(min(of_time.min(), time.min(initial=0)))
    span = int(max(of_time.max(), time.max(initial=0))) - low + 1
    of_number, number = _numbered(of_tid, tid, span)
    key = of_number * span + (of_time - low)
    asked = number * span + (time - low)
    if (key[1:] >= key[:-1]).all():
        at = rows_before(key, asked, side="right") - 1
        row = np.maximum(at, 0)
    else:
        order = np.argsort(key, kind="stable")
        at = rows_before(key[order], asked, side="right") - 1
        row = order[np.maximum(at, 0)]
    return row, (at >= 0) & (of_tid[row] == tid)


def _latest_by_thread(
    of_tid: IntArray, of_time: IntArray, tid: IntArray, time: IntArray
) -> tuple[IntArray, BoolArray] | None:
    """Returns the result of `latest` for rows in any order; None without the native extension."""
    in_time = bool((of_time[1:] >= of_time[:-1]).all())
    order = np.argsort(of_tid, kind="stable") if in_time else ordered(of_tid, of_time)
    runs = Runs.of(of_tid[order])
    row = latest_of(of_time[order], (runs.first, runs.count), runs.number(tid), time)
    return None if row is None else (order[np.maximum(row, 0)], row >= 0)


def _numbered(of_tid: IntArray, tid: IntArray, span: int) -> tuple[IntArray, IntArray]:
    """Returns the threads as numbers from 0 on, for both arrays. The numbers come from the ids if `span` times as many
    fit into 64 bits."""
    first = int(tid.min(initial=of_tid.min()))
    last = int(tid.max(initial=of_tid.max()))
    if (last - first + 1) * span < KEYS:
        return of_tid.astype(np.int64) - first, tid.astype(np.int64) - first
    threads = np.unique(np.concatenate((np.unique(of_tid), np.unique(tid))))
    return rows_before(threads, of_tid), rows_before(threads, tid)


def first_after(of_group: IntArray, of_time: IntArray, group: IntArray, time: IntArray) -> tuple[IntArray, BoolArray]:
    """Returns for each (group, time) the first later row of the same group, and whether such a row exists.

    The rows (of_group, of_time) are in order of group and time. Their times are 0 or more; `time` may also be -1 or -2,
    from before all of them.
    """
    if len(of_group) == 0:
        return np.zeros(len(group), dtype=np.int64), np.zeros(len(group), dtype=bool)
    span = int(max(of_time.max(), time.max(initial=0))) + 2
    at = rows_before(of_group * span + of_time, group * span + time, side="right")
    row = np.minimum(at, len(of_group) - 1)
    return row, (at < len(of_group)) & (of_group[row] == group)


def ends(by: IntArray) -> IntArray:
    """Returns the end of each row's chain. `by`: the next row of each row, shape (rows,); a row that names itself is an
    end. A circular chain, which only a damaged capture has, ends at one of its rows."""
    at = by
    for _ in range(len(by).bit_length() + 1):  # each pass doubles the distance covered
        before, at = at, at[at]
        if np.array_equal(before, at):
            break
    return at
