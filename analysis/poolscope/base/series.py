"""Step functions of time, which represent queue length, goal, busy threads and all other counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from poolscope.base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from poolscope.base.searches import area_marks, areas, combined, counted, rows_before, time_in_bins, values
from poolscope.base.stages import together

MANY = 10_000
"""The number of intervals from which it is worth checking for intervals that touch."""
AT_ONCE = 1 << 20
"""The number of intervals that are processed together: arrays of this length reuse memory that is already mapped."""


@dataclass(frozen=True)
class Steps:
    """A right-continuous step function: `value[i]` holds from `time[i]` up to `time[i + 1]`.

    Before `time[0]` the function has the first value, after the last time the last value.
    """

    time: FloatArray
    """Shape (steps,), ns, strictly increasing."""
    value: FloatArray
    """Shape (steps,)."""

    @staticmethod
    def constant(value: float, start: float = 0.0) -> Steps:
        return Steps(np.array([start], dtype=np.float64), np.array([value], dtype=np.float64))

    @staticmethod
    def count(begin: npt.ArrayLike, end: npt.ArrayLike, start: float = 0.0, weight: FloatArray | None = None) -> Steps:
        """Returns how many of the intervals [begin, end) are open at each time, each counted with its weight (default
        1). The function begins at `start`."""
        if weight is None:  # sorting numbers alone costs a third of sorting them with other columns
            return Steps(*counted(np.asarray(begin), np.asarray(end), start))
        time = np.concatenate((np.array([start]), begin, end), dtype=np.float64)
        delta = np.concatenate((np.zeros(1), weight, -weight))
        axis, where = np.unique(time, return_inverse=True)
        return Steps(axis, np.cumsum(np.bincount(where, weights=delta, minlength=len(axis))))

    @staticmethod
    def count_in_bins(
        begin: IntArray, end: IntArray, group: IntArray, weight: FloatArray, width: int, chosen: BoolArray
    ) -> Steps:
        """Returns `count(begin, end, weight=weight[group]).binned(width)` for the chosen groups, up to rounding,
        without a step for each begin and end. Times are whole ns of at least 0. The result takes a few bytes for each
        bin. `weight`, `chosen`: by group."""
        bins = -(-int(end.max(initial=0)) // width)
        area, opened = np.zeros(bins + 2), np.zeros(bins + 2)  # an interval may end with the last bin
        last = time_in_bins((begin, end, group), weight, chosen, width, AT_ONCE, area, opened)
        if last < 0:
            return Steps.constant(0.0)
        bins = -(-last // width)
        # Rounding may leave less than nothing.
        mean = np.maximum((area + np.cumsum(opened) * width)[:bins] / width, 0.0)
        return Steps(width * np.arange(bins + 1, dtype=np.float64), np.append(mean, 0.0)).merged()

    @staticmethod
    def of_changes(time: npt.ArrayLike, value: npt.ArrayLike) -> Steps:
        """Returns the steps for changes in order of time. If several changes have one time, the last one counts."""
        times = np.asarray(time, dtype=np.float64)
        values = np.asarray(value, dtype=np.float64)
        last = np.append(times[1:] != times[:-1], True)
        return Steps(times[last], values[last])

    def at(self, time: npt.ArrayLike) -> FloatArray:
        """Returns the value at each time."""
        return values(self.time, self.value, np.asarray(time, dtype=np.float64))

    def integral(self, begin: npt.ArrayLike, end: npt.ArrayLike) -> FloatArray:
        """Returns the integral over each [begin, end], in value times ns."""
        since, until = np.asarray(begin), np.asarray(end)
        if since.ndim != 1 or since.shape != until.shape or len(since) <= AT_ONCE:
            return self._integral(since, until)
        whole = np.empty(len(since))
        _ = self._marks  # computed once, because both threads read them

        def fill(rows: slice) -> None:
            whole[rows] = self._integral(since[rows], until[rows])

        together(len(since), *(partial(fill, slice(at, at + AT_ONCE)) for at in range(0, len(since), AT_ONCE)))
        return whole

    def _integral(self, begin: AnyArray, end: AnyArray) -> FloatArray:
        begins, ends = np.asarray(begin, dtype=np.float64), np.asarray(end, dtype=np.float64)
        until_begin = self._antiderivative(begins)
        if begins.ndim != 1 or begins.shape != ends.shape or len(begins) < MANY:
            return np.asarray(self._antiderivative(ends) - until_begin)
        # A begin that equals the previous end needs no second search.
        apart = np.append(ends[:-1] != begins[1:], True)
        until_end = np.append(until_begin[1:], 0.0)
        until_end[apart] = self._antiderivative(ends[apart])
        return np.asarray(until_end - until_begin)

    def mean(self, edges: FloatArray) -> FloatArray:
        """Returns the mean over each bin between neighbouring edges."""
        return np.asarray(self.integral(edges[:-1], edges[1:]) / np.diff(edges))

    def maximum(self, edges: FloatArray) -> FloatArray:
        """Returns the greatest value in each bin between neighbouring edges."""
        axis = distinct(np.concatenate((self.time, edges)))
        values = self.at(axis)
        starts = rows_before(axis, edges[:-1])
        inside = axis < edges[-1]
        return np.asarray(np.maximum.reduceat(values[inside], starts))

    def combine(self, other: Steps, function: Callable[[FloatArray, FloatArray], npt.ArrayLike]) -> Steps:
        """Returns `function` of both, such as np.subtract, on the union of both time axes."""
        if len(other.time) == 1 and len(self.time) and other.time[0] == self.time[0]:
            constant = np.broadcast_to(other.value, len(self.value))
            return Steps(self.time, np.asarray(function(self.value, constant), dtype=np.float64))
        time, mine, others = combined((self.time, self.value), (other.time, other.value))
        if isinstance(function, np.ufunc):  # needs no further array
            return Steps(time, function(mine, others, out=mine))
        return Steps(time, np.asarray(function(mine, others), dtype=np.float64))

    def binned(self, width: float) -> Steps:
        """Returns the averages over bins of this width, with equal neighbours merged: coarser, with the same
        integral."""
        if len(self.time) < 2:
            return self
        count = int(np.ceil((self.time[-1] - self.time[0]) / width))
        edges = self.time[0] + width * np.arange(count + 1)
        return Steps(edges, np.append(self.mean(edges), self.value[-1])).merged()

    def merged(self) -> Steps:
        """Returns the same function with neighbours of equal value as one step."""
        keep = np.append(True, self.value[1:] != self.value[:-1])
        return Steps(self.time[keep], self.value[keep])

    @property
    def with_marks(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The columns and the marks of the integral, for the native extension."""
        return np.ascontiguousarray(self.time), np.ascontiguousarray(self.value), self._marks

    @cached_property
    def _marks(self) -> FloatArray:
        """The integral up to some steps."""
        return area_marks(self.time, self.value)

    def _antiderivative(self, time: npt.ArrayLike) -> FloatArray:
        return areas(self.time, self.value, self._marks, np.asarray(time, dtype=np.float64))


def distinct(time: FloatArray) -> FloatArray:
    """Returns the distinct times in order. Several times as fast as np.unique if the times are a few sorted runs in a
    row."""
    # A stable sort merges runs that are already in order.
    ordered = np.sort(time, kind="stable")
    return np.asarray(ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]])
