"""Looks up many numbers in ordered rows. The native extension takes one pass (analysis/native/searches.hpp): each
search starts where the previous one ended, and most of the numbers follow each other. Without the extension, NumPy
gives the same result to the bit.

Times are any numbers except NaN. Rows are in order, and equal rows are allowed unless a function says otherwise.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from poolscope import native
from poolscope.base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from poolscope.base.stages import together

FEW = 1024
"""Up to this many numbers NumPy is as fast, including the call."""


def rows_before(rows: npt.ArrayLike, asked: npt.ArrayLike, side: Literal["left", "right"] = "left") -> IntArray:
    """Returns how many rows are less than each number; with `right`, how many are not greater. As np.searchsorted."""
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
    """Returns the value of the last row up to each time, or of the first row if all are later. Needs at least one
    row."""
    if not _pays(asked):
        return np.asarray(value[_step(time, asked)])
    found = np.empty(len(asked))
    native.extension.values(_floats(time), _floats(value), _floats(asked), found)
    return found


STRIDE = 8
"""The number of rows between two marks, as in analysis/native/searches.hpp."""


def area_marks(time: FloatArray, value: FloatArray) -> FloatArray:
    """Returns the integral of the step function up to every STRIDE-th row, for `areas`; without the extension, up to
    every row."""
    if native.extension is None:
        return np.concatenate(([0.0], np.cumsum(value[:-1] * np.diff(time))))
    marks = np.empty(-(-len(time) // STRIDE))
    native.extension.area_marks(_floats(time), _floats(value), marks)
    return marks


def areas(time: FloatArray, value: FloatArray, marks: FloatArray, asked: FloatArray) -> FloatArray:
    """Returns the integral of the step function up to each time. `marks` is the result of `area_marks`. Needs at least
    one row."""
    if native.extension is None:
        step = _step(time, asked)
        # In place: allocating arrays as long as the capture costs more than filling them.
        total = np.asarray(asked - time[step])
        total *= value[step]
        total += marks[step]
        return total
    found = np.empty(asked.size)
    native.extension.areas(_floats(time), _floats(value), marks, _floats(asked.ravel()), found)
    return found.reshape(asked.shape)


def latest_in_order(
    of: IntArray, time: IntArray, group: IntArray, asked: IntArray
) -> tuple[IntArray, BoolArray] | None:
    """Returns for each (group, time) the last row up to it, of any group, or row 0, and whether that row has the same
    group. Returns None if the rows are not in order of group and time, or without the extension."""
    if not _pays(asked) or not len(of):
        return None
    row, found = np.empty(len(asked), dtype=np.int64), np.empty(len(asked), dtype=bool)
    in_order = native.extension.latest(_integers(of), _integers(time), _integers(group), _integers(asked), row, found)
    return (row, found) if in_order else None


Groups = tuple[IntArray, IntArray]
"""The first row of each group, and its number of rows; the rows of each group are in order of time."""


def latest_of(time: IntArray, groups: Groups, of: IntArray, asked: IntArray) -> IntArray | None:
    """Returns the last row of the group `of` up to each time; -1 if no row matches or the group is -1. Fastest if times
    are in order, whatever their groups. Returns None without the extension."""
    if native.extension is None:
        return None
    row = np.empty(len(asked), dtype=np.int64)
    native.extension.latest_of(_integers(time), *_both(groups), _begun(groups), _integers(of), _integers(asked), row)
    return row


def cut(
    rows: tuple[IntArray, IntArray], groups: Groups, of: IntArray, asked: tuple[IntArray, IntArray]
) -> tuple[IntArray, IntArray, IntArray, IntArray] | None:
    """Cuts each interval along the rows of its group, which do not overlap. Returns for each non-empty part its
    interval, row, start and end, in the order of intervals and time. `rows`, `asked`: starts and ends; the other
    parameters are as for `latest_of`. Returns None without the extension."""
    if native.extension is None:
        return None
    given = *_both(rows), *_both(groups)
    intervals = _integers(of), *_both(asked)
    count = native.extension.cut(*given, _begun(groups), *intervals, None, None, None, None)
    item, row, start, end = (np.empty(count, dtype=np.int64) for _ in range(4))
    native.extension.cut(*given, _begun(groups), *intervals, item, row, start, end)
    return item, row, start, end


def told(time: IntArray, of: IntArray, asked: IntArray, tid: IntArray, ties: int) -> BoolArray | None:
    """Returns whether one of the first `ties` rows from each time on has that time and thread. Threads are int32.
    Returns None without the extension."""
    if native.extension is None:
        return None
    found = np.empty(len(asked), dtype=bool)
    native.extension.told(_integers(time), _threads(of), _integers(asked), _threads(tid), ties, found)
    return found


def counted(first: AnyArray, second: AnyArray, start: float) -> tuple[FloatArray, FloatArray]:
    """Returns the distinct numbers of `first`, `second` and `start` in order, and for each the count of `first` minus
    the count of `second` up to it."""
    most = len(first) + len(second)
    # Each begins at the end of a result, where the merge has read every number before it writes there.
    room, worth = np.empty(most + 1), np.empty(most + 1)
    ups, downs = room[len(second) + 1 :], worth[len(first) + 1 :]
    ups[:], downs[:] = first, second
    del first, second
    together(most, *(partial(numbers.sort, kind="stable") for numbers in (ups, downs)))
    if native.extension is None or most <= FEW:
        axis, of_first, of_second = _merged(ups, downs)
        value = (of_first - of_second).astype(np.float64)
    else:
        count = native.extension.counted(ups, downs, room[1:], worth[1:])
        del ups, downs
        _shrink(count + 1, room, worth)
        axis, value = room[1:], worth[1:]
        if count and start < axis[0]:  # nearly always true: uses the free row
            room[0], worth[0] = start, 0.0
            return room, worth
    at = int(np.searchsorted(axis, start))
    if at < len(axis) and axis[at] == start:
        return axis, value
    return np.insert(axis, at, start), np.insert(value, at, value[at - 1] if at else 0.0)


def combined(
    first: tuple[FloatArray, FloatArray], second: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Returns the distinct times of both step functions `(time, value)` in order, and the value of each function there.
    Before its first time, a function has its first value. Neither is empty."""
    most = len(first[0]) + len(second[0])
    if native.extension is None or most <= FEW:
        axis, of_first, of_second = _merged(first[0], second[0])
        mine, others = first[1][np.maximum(of_first - 1, 0)], second[1][np.maximum(of_second - 1, 0)]
        return axis, mine.astype(np.float64, copy=False), others.astype(np.float64, copy=False)
    found = np.empty(most), np.empty(most), np.empty(most)
    count = native.extension.combined(
        _floats(first[0]), _floats(first[1]), _floats(second[0]), _floats(second[1]), *found
    )
    _shrink(count, *found)
    return found


def time_in_bins(
    intervals: tuple[IntArray, IntArray, IntArray],
    weight: FloatArray,
    chosen: BoolArray,
    width: int,
    piece: int,
    area: FloatArray,
    opened: FloatArray,
) -> int:
    """Adds the weighted time of intervals to `area`, from the begin to the end of its bin, less that from the end to
    the end of its bin; and the weights to the bin after the begin, less those after the end, to `opened`. Returns the
    last end, -1 without intervals. `intervals`: begin, end, group. Takes only those of the chosen groups. Sums begin
    again after every `piece` of these.
    """
    begin, end, group = intervals
    if native.extension is not None:
        given = *_both((begin, end)), _integers(group), _floats(weight), np.ascontiguousarray(chosen), width, piece
        return native.extension.time_in_bins(*given, area, opened)
    mine = np.flatnonzero(chosen[group])
    for at in range(0, len(mine), piece):
        rows = mine[at : at + piece]
        since, until, each = begin[rows], end[rows], weight[group[rows]]
        first, last = since // width, until // width
        area += np.bincount(first, each * ((first + 1) * width - since), len(area))
        area -= np.bincount(last, each * ((last + 1) * width - until), len(area))
        opened += np.bincount(first + 1, each, len(area))
        opened -= np.bincount(last + 1, each, len(area))
    return int(end[mine].max(initial=-1))


def _shrink(rows: int, *columns: FloatArray) -> None:
    """Gives back the unused end of new columns, in place: most ends are also starts, so it is up to half of them."""
    for column in columns:
        column.resize(rows, refcheck=False)


def _merged(first: FloatArray, second: FloatArray) -> tuple[FloatArray, IntArray, IntArray]:
    """Returns the distinct numbers of both in order, and how many rows of each lie up to each number."""
    both = np.concatenate((first, second))
    order = np.argsort(both, kind="stable")  # merges two runs; a search would look up each number again
    time = both[order]
    last = np.append(time[1:] != time[:-1], True)[: len(time)]
    of_first = np.cumsum(order < len(first))[last]
    return time[last], of_first, np.flatnonzero(last) + 1 - of_first


def programs(
    segments: tuple[IntArray, IntArray, IntArray, IntArray],
    points: tuple[IntArray, IntArray, IntArray, FloatArray, IntArray],
    stretch: int,
    groups: int,
) -> tuple[IntArray, npt.NDArray[np.int8], FloatArray, npt.NDArray[np.int32]] | None:
    """Cuts segments at points, both in order of group and time (see analysis/native/programs.hpp). `segments`: group,
    start, end, kind or -1; `points`: group, time, kind, value, target; `stretch`: neighbours of a kind up to this one
    are merged.

    Returns where the operations of each of the `groups` begin (and, after them, where all end), their kinds, values and
    targets. Returns None if the segments are not in order, or without the extension.
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
    op, worth, to = np.empty(count, dtype=np.int8), np.empty(count), np.empty(count, dtype=np.int32)
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
    """Returns the first row of each group: the search in a group begins there."""
    return np.zeros(len(groups[0]), dtype=np.int64)
