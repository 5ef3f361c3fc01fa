"""Looking up many numbers in rows that are in order. One pass in machine code (searches.c) where the build made it: each search
starts where the one before it ended, and most numbers that are asked for follow each other. Else NumPy, with the same result
to the bit.

Times are any numbers but NaN. Rows are in order, equal ones allowed unless it says otherwise.
"""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.base.prepared import BUILT, file_name, load

FEW = 1024
"""Up to this many numbers NumPy is as fast, call and all."""
SOURCE = Path(__file__).with_name("searches.c")
PACKAGED = Path(__file__).with_name("machine_code")
"""Where a wheel for Linux x64 carries it."""
TAKES = {
    "rank_f": "pnpnnp",
    "rank_i": "pnpnnp",
    "values": "ppnpnp",
    "areas": "pppnpnp",
    "latest": "ppnppnpp",
    "latest_of": "ppppppnp",
    "cut": "ppppppppnpppp",
    "told": "ppnppnnp",
    "counted": "pnpnpp",
    "combined": "ppnppnppp",
    "programs": "ppppnpppppnnnpppp",
}
"""The parameters of each function: p an array, n a number."""
COUNTS = ("latest", "cut", "counted", "combined", "programs")
"""Those that return a number."""
NUMBERS = {np.dtype(np.float64): "rank_f", np.dtype(np.int64): "rank_i"}


def rows_before(rows: npt.ArrayLike, asked: npt.ArrayLike, side: Literal["left", "right"] = "left") -> IntArray:
    """Returns how many rows are less than each number asked for; with `right` how many are not more. As np.searchsorted."""
    ordered, numbers = np.asarray(rows), np.asarray(asked)
    code = prepared() if len(ordered) and numbers.ndim == 1 and len(numbers) > FEW else None
    kind = np.result_type(ordered, numbers)
    if code is None or kind not in NUMBERS:
        return np.asarray(np.searchsorted(ordered, numbers, side=side))
    ordered, numbers = _plain(ordered, kind), _plain(numbers, kind)
    found = np.empty(len(numbers), dtype=np.int64)
    getattr(code, NUMBERS[kind])(*_of(ordered), len(ordered), *_of(numbers), len(numbers), side == "right", *_of(found))
    return found


def values(time: FloatArray, value: FloatArray, asked: FloatArray) -> FloatArray:
    """Returns the value of the last row up to each time asked for; of the first row where all are later. At least one row."""
    code = prepared() if asked.ndim == 1 and len(asked) > FEW else None
    if code is None:
        return np.asarray(value[_step(time, asked)])
    rows, numbers = (_plain(time, np.float64), _plain(value, np.float64)), _plain(asked, np.float64)
    found = np.empty(len(numbers))
    code.values(*_of(*rows), len(time), *_of(numbers), len(numbers), *_of(found))
    return found


def areas(time: FloatArray, value: FloatArray, area: FloatArray, asked: FloatArray) -> FloatArray:
    """Returns the integral of the step function up to each time asked for; `area` has it up to each row. At least one
    row."""
    code = prepared() if asked.ndim == 1 and len(asked) > FEW else None
    if code is None:
        step = _step(time, asked)
        # In place: arrays as long as the capture cost more to get than to fill.
        total = np.asarray(asked - time[step])
        total *= value[step]
        total += area[step]
        return total
    rows, numbers = [_plain(column, np.float64) for column in (time, value, area)], _plain(asked, np.float64)
    found = np.empty(len(numbers))
    code.areas(*_of(*rows), len(time), *_of(numbers), len(numbers), *_of(found))
    return found


def latest_in_order(
    of: IntArray, time: IntArray, group: IntArray, asked: IntArray
) -> tuple[IntArray, BoolArray] | None:
    """Returns for each (group, time) asked for the last row up to it, of any group, or row 0; and whether it is of the
    same group. None if the rows are not in order of group and time, or without machine code."""
    code = prepared() if len(asked) > FEW else None
    if code is None or not len(of):
        return None
    rows, numbers = (_plain(of, np.int64), _plain(time, np.int64)), (_plain(group, np.int64), _plain(asked, np.int64))
    row, found = np.empty(len(asked), dtype=np.int64), np.empty(len(asked), dtype=bool)
    if not code.latest(*_of(*rows), len(of), *_of(*numbers), len(asked), *_of(row, found)):
        return None
    return row, found


Groups = tuple[IntArray, IntArray]
"""The first row of each group, and how many it has: in each group rows are in order of time."""


def latest_of(time: IntArray, groups: Groups, of: IntArray, asked: IntArray) -> IntArray | None:
    """Returns the last row of the group `of` up to each time asked for; -1 if there is none, or no group (-1). It is
    fastest if times are in order, whatever their groups. None without machine code."""
    code = prepared()
    if code is None:
        return None
    given = [_plain(column, np.int64) for column in (time, *groups, np.zeros(len(groups[0]), np.int64), of, asked)]
    row = np.empty(len(asked), dtype=np.int64)
    code.latest_of(*_of(*given), len(asked), *_of(row))
    return row


def cut(
    rows: tuple[IntArray, IntArray], groups: Groups, of: IntArray, asked: tuple[IntArray, IntArray]
) -> tuple[IntArray, IntArray, IntArray, IntArray] | None:
    """Cuts each interval asked for along the rows of its group, which do not overlap. Returns for each part that is not empty its
    interval, its row, start and end, in the order of intervals and time. `rows`, `asked`: starts and ends; the rest as for
    `latest_of`. None without machine code."""
    code = prepared()
    if code is None:
        return None
    given = [_plain(column, np.int64) for column in (*rows, *groups)]
    intervals = [_plain(column, np.int64) for column in (of, *asked)]

    cutting = code.cut

    def parts(into: list[int] | list[None]) -> int:
        ended = np.zeros(len(groups[0]), dtype=np.int64)
        return int(cutting(*_of(*given, ended, *intervals), len(of), *into))

    count = parts([None] * 4)
    item, row, start, end = (np.empty(count, dtype=np.int64) for _ in range(4))
    parts(_of(item, row, start, end))
    return item, row, start, end


def told(time: IntArray, of: IntArray, asked: IntArray, tid: IntArray, ties: int) -> BoolArray | None:
    """Returns whether one of the first `ties` rows from each time asked for on, in order of time, is of that time and thread. Threads are
    int32. None without machine code."""
    code = prepared()
    if code is None:
        return None
    rows = _plain(time, np.int64), _plain(of, np.int32)
    numbers = _plain(asked, np.int64), _plain(tid, np.int32)
    found = np.empty(len(asked), dtype=bool)
    code.told(*_of(*rows), len(time), *_of(*numbers), len(asked), ties, *_of(found))
    return found


def counted(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Returns the numbers of both, each once, in order, and how many more of `first` than of `second` lie up to each. Both are in order."""
    code = prepared() if len(first) + len(second) > FEW else None
    if code is None:
        axis, of_first, of_second = _merged(first, second)
        return axis, (of_first - of_second).astype(np.float64)
    rows = _plain(first, np.float64), _plain(second, np.float64)
    axis, value = np.empty(len(first) + len(second)), np.empty(len(first) + len(second))
    count = code.counted(*_of(rows[0]), len(first), *_of(rows[1]), len(second), *_of(axis, value))
    return axis[:count], value[:count]


def combined(
    first: tuple[FloatArray, FloatArray], second: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Returns the times of both step functions `(time, value)`, each once, in order, and the value of either there: before its first time
    its first value. Neither is empty."""
    code = prepared() if len(first[0]) + len(second[0]) > FEW else None
    if code is None:
        axis, of_first, of_second = _merged(first[0], second[0])
        return axis, first[1][np.maximum(of_first - 1, 0)], second[1][np.maximum(of_second - 1, 0)]
    rows = [_plain(column, np.float64) for column in (*first, *second)]
    most = len(first[0]) + len(second[0])
    found = np.empty(most), np.empty(most), np.empty(most)
    count = code.combined(*_of(*rows[:2]), len(rows[0]), *_of(*rows[2:]), len(rows[2]), *_of(*found))
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
    """Cuts segments at points, both in order of group and time (searches.c says how). `segments`: group, start, end, kind or -1;
    `points`: group, time, kind, value, target; `stretch`: the last kind of which neighbours are one.

    Returns where the operations of each of the `groups` begin (and behind them, where all end), their kinds, values and targets.
    None if the segments are not in order, or without machine code.
    """
    code = prepared()
    if code is None:
        return None
    types = (np.int64, np.int64, np.int64, np.int8)
    rows = [_plain(column, kind) for column, kind in zip(segments, types, strict=True)]
    types_of_points = (np.int64, np.int64, np.int8, np.float64, np.int64)
    among = [_plain(column, kind) for column, kind in zip(points, types_of_points, strict=True)]
    given = *_of(*rows), len(rows[0]), *_of(*among), len(among[0]), stretch, groups
    count = code.programs(*given, *[None] * 4)
    if count < 0:
        return None
    op, value, target = np.empty(count, dtype=np.int8), np.empty(count), np.empty(count, dtype=np.int64)
    begin = np.empty(groups + 1, dtype=np.int64)
    code.programs(*given, *_of(op, value, target, begin))
    return begin, op, value, target


@cache
def prepared() -> ctypes.CDLL | None:
    """Returns the functions of searches.c; None if they were not made. They run without the interpreter's lock."""
    code = load(file_name("searches", [SOURCE]), (PACKAGED, BUILT / "searches"))
    for name, parameters in TAKES.items() if code else ():
        function = getattr(code, name)
        function.argtypes = [ctypes.c_void_p if kind == "p" else ctypes.c_int64 for kind in parameters]
        function.restype = ctypes.c_int64 if name in COUNTS else None
    return code


def _step(time: FloatArray, asked: FloatArray) -> IntArray:
    where = np.asarray(np.searchsorted(time, asked, side="right"))
    where -= 1
    np.maximum(where, 0, out=where)
    return where


def _plain(array: npt.NDArray[Any], kind: npt.DTypeLike) -> npt.NDArray[Any]:
    return np.ascontiguousarray(array, dtype=kind)


def _of(*arrays: npt.NDArray[Any]) -> list[int]:
    return [array.ctypes.data for array in arrays]
