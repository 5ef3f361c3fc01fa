"""Looking up many numbers in rows that are in order. The native extension takes one pass (analysis/native/searches.hpp): each
search starts where the one before it ended, and most numbers that are asked for follow each other. Without it NumPy
gives the same result to the bit.

Times are any numbers but NaN. Rows are in order, equal ones allowed unless it says otherwise.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from poolscope import native
from poolscope.base.arrays import BoolArray, FloatArray, IntArray

FEW = 1024
"""Up to this many numbers NumPy is as fast, call and all."""


def rows_before(rows: npt.ArrayLike, asked: npt.ArrayLike, side: Literal["left", "right"] = "left") -> IntArray:
    """Returns how many rows are less than each number asked for; with `right` how many are not more. As np.searchsorted."""
    ordered, numbers = np.asarray(rows), np.asarray(asked)
    kind = np.result_type(ordered, numbers)
    if not _pays(numbers) or not len(ordered) or kind not in (np.float64, np.int64):
        return np.asarray(np.searchsorted(ordered, numbers, side=side))
    found = np.empty(len(numbers), dtype=np.int64)
    if kind == np.float64:
        native.extension.float_ranks(_floats(ordered), _floats(numbers), side == "right", found)
    else:
        native.extension.integer_ranks(_integers(ordered), _integers(numbers), side == "right", found)
    return found


def values(time: FloatArray, value: FloatArray, asked: FloatArray) -> FloatArray:
    """Returns the value of the last row up to each time asked for; of the first row where all are later. At least one row."""
    if not _pays(asked):
        return np.asarray(value[_step(time, asked)])
    found = np.empty(len(asked))
    native.extension.values(_floats(time), _floats(value), _floats(asked), found)
    return found


def areas(time: FloatArray, value: FloatArray, area: FloatArray, asked: FloatArray) -> FloatArray:
    """Returns the integral of the step function up to each time asked for; `area` has it up to each row. At least one
    row."""
    if not _pays(asked):
        step = _step(time, asked)
        # In place: arrays as long as the capture cost more to get than to fill.
        total = np.asarray(asked - time[step])
        total *= value[step]
        total += area[step]
        return total
    found = np.empty(len(asked))
    native.extension.areas(_floats(time), _floats(value), _floats(area), _floats(asked), found)
    return found


def latest_in_order(
    of: IntArray, time: IntArray, group: IntArray, asked: IntArray
) -> tuple[IntArray, BoolArray] | None:
    """Returns for each (group, time) asked for the last row up to it, of any group, or row 0; and whether it is of the
    same group. None if the rows are not in order of group and time, or without the extension."""
    if not _pays(asked) or not len(of):
        return None
    row, found = np.empty(len(asked), dtype=np.int64), np.empty(len(asked), dtype=bool)
    in_order = native.extension.latest(_integers(of), _integers(time), _integers(group), _integers(asked), row, found)
    return (row, found) if in_order else None


Groups = tuple[IntArray, IntArray]
"""The first row of each group, and how many it has: in each group rows are in order of time."""


def latest_of(time: IntArray, groups: Groups, of: IntArray, asked: IntArray) -> IntArray | None:
    """Returns the last row of the group `of` up to each time asked for; -1 if there is none, or no group (-1). It is
    fastest if times are in order, whatever their groups. None without the extension."""
    if native.extension is None:
        return None
    row = np.empty(len(asked), dtype=np.int64)
    native.extension.latest_of(_integers(time), *_both(groups), _begun(groups), _integers(of), _integers(asked), row)
    return row


def cut(
    rows: tuple[IntArray, IntArray], groups: Groups, of: IntArray, asked: tuple[IntArray, IntArray]
) -> tuple[IntArray, IntArray, IntArray, IntArray] | None:
    """Cuts each interval asked for along the rows of its group, which do not overlap. Returns for each part that is not empty its
    interval, its row, start and end, in the order of intervals and time. `rows`, `asked`: starts and ends; the rest as for
    `latest_of`. None without the extension."""
    if native.extension is None:
        return None
    given = *_both(rows), *_both(groups)
    intervals = _integers(of), *_both(asked)
    count = native.extension.cut(*given, _begun(groups), *intervals, None, None, None, None)
    item, row, start, end = (np.empty(count, dtype=np.int64) for _ in range(4))
    native.extension.cut(*given, _begun(groups), *intervals, item, row, start, end)
    return item, row, start, end


def told(time: IntArray, of: IntArray, asked: IntArray, tid: IntArray, ties: int) -> BoolArray | None:
    """Returns whether one of the first `ties` rows from each time asked for on, in order of time, is of that time and thread. Threads are
    int32. None without the extension."""
    if native.extension is None:
        return None
    found = np.empty(len(asked), dtype=bool)
    native.extension.told(_integers(time), _threads(of), _integers(asked), _threads(tid), ties, found)
    return found


def counted(first: FloatArray, second: FloatArray, start: float) -> tuple[FloatArray, FloatArray]:
    """Returns `start` and the numbers of both, each once, in order, and how many more of `first` than of `second` lie up to each. Both
    are in order."""
    most = len(first) + len(second)
    if native.extension is None or most <= FEW:
        axis, of_first, of_second = _merged(first, second)
        value = (of_first - of_second).astype(np.float64)
    else:
        room, worth = np.empty(most + 1), np.empty(most + 1)
        count = native.extension.counted(_floats(first), _floats(second), room[1:], worth[1:])
        axis, value = room[1 : count + 1], worth[1 : count + 1]
        if count and start < axis[0]:  # as nearly always: into the row that is free
            room[0], worth[0] = start, 0.0
            return room[: count + 1], worth[: count + 1]
    at = int(np.searchsorted(axis, start))
    if at < len(axis) and axis[at] == start:
        return axis, value
    return np.insert(axis, at, start), np.insert(value, at, value[at - 1] if at else 0.0)


def combined(
    first: tuple[FloatArray, FloatArray], second: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Returns the times of both step functions `(time, value)`, each once, in order, and the value of either there: before its first time
    its first value. Neither is empty."""
    most = len(first[0]) + len(second[0])
    if native.extension is None or most <= FEW:
        axis, of_first, of_second = _merged(first[0], second[0])
        return axis, first[1][np.maximum(of_first - 1, 0)], second[1][np.maximum(of_second - 1, 0)]
    found = np.empty(most), np.empty(most), np.empty(most)
    count = native.extension.combined(
        _floats(first[0]), _floats(first[1]), _floats(second[0]), _floats(second[1]), *found
    )
    axis, mine, others = (column[:count] for column in found)
    return axis, mine, others


def _merged(first: FloatArray, second: FloatArray) -> tuple[FloatArray, IntArray, IntArray]:
    """Returns the numbers of both, each once, in order, and how many rows of either lie up to each."""
    both = np.concatenate((first, second))
    order = np.argsort(both, kind="stable")  # merges two runs, where a search would look for each again
    time = both[order]
    last = np.append(time[1:] != time[:-1], True)[: len(time)]
    of_first = np.cumsum(order < len(first))[last]
    return time[last], of_first, np.flatnonzero(last) + 1 - of_first


def programs(
    segments: tuple[IntArray, IntArray, IntArray, IntArray],
    points: tuple[IntArray, IntArray, IntArray, FloatArray, IntArray],
    stretch: int,
    groups: int,
) -> tuple[IntArray, npt.NDArray[np.int8], FloatArray, IntArray] | None:
    """Cuts segments at points, both in order of group and time (analysis/native/programs.hpp says how). `segments`: group, start, end, kind or -1;
    `points`: group, time, kind, value, target; `stretch`: the last kind of which neighbours are one.

    Returns where the operations of each of the `groups` begin (and behind them, where all end), their kinds, values and targets.
    None if the segments are not in order, or without the extension.
    """
    if native.extension is None:
        return None
    group, start, end, does = segments
    of, time, kind, value, target = points
    given = (
        *(_integers(group), _integers(start), _integers(end), _kinds(does)),
        *(_integers(of), _integers(time), _kinds(kind), _floats(value), _integers(target)),
        stretch,
    )
    count = native.extension.programs(*given, None, None, None, None)
    if count < 0:
        return None
    op, worth, to = np.empty(count, dtype=np.int8), np.empty(count), np.empty(count, dtype=np.int64)
    begin = np.empty(groups + 1, dtype=np.int64)
    native.extension.programs(*given, op, worth, to, begin)
    return begin, op, worth, to


def _pays(asked: npt.NDArray[Any]) -> bool:
    return native.extension is not None and asked.ndim == 1 and len(asked) > FEW


def _step(time: FloatArray, asked: FloatArray) -> IntArray:
    where = np.asarray(np.searchsorted(time, asked, side="right"))
    where -= 1
    np.maximum(where, 0, out=where)
    return where


def _floats(column: npt.ArrayLike) -> FloatArray:
    return np.ascontiguousarray(column, dtype=np.float64)


def _integers(column: npt.ArrayLike) -> IntArray:
    return np.ascontiguousarray(column, dtype=np.int64)


def _both(columns: tuple[IntArray, IntArray]) -> tuple[IntArray, IntArray]:
    return _integers(columns[0]), _integers(columns[1])


def _threads(column: npt.ArrayLike) -> npt.NDArray[np.int32]:
    return np.ascontiguousarray(column, dtype=np.int32)


def _kinds(column: npt.ArrayLike) -> npt.NDArray[np.int8]:
    return np.ascontiguousarray(column, dtype=np.int8)


def _begun(groups: Groups) -> IntArray:
    """Returns where the search in each group begins: at its first row."""
    return np.zeros(len(groups[0]), dtype=np.int64)
