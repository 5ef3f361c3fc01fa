"""Spans of time of threads, and the rows of tables within them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.base.lookup import numbered
from poolscope.base.searches import rows_before


@dataclass(frozen=True)
class Spans:
    """Spans of time of threads, in arrays of one length. Times are ns from the start of the window."""

    tid: IntArray
    start: IntArray
    end: IntArray

    def where(self, chosen: BoolArray) -> Spans:
        return Spans(self.tid[chosen], self.start[chosen], self.end[chosen])

    def within(self, start: IntArray, end: IntArray) -> Spans:
        """Returns the parts of the spans that lie in the stretches from `start` to `end`. Neither the spans nor the
        stretches overlap, whatever the thread, and both are in order of time."""
        first = rows_before(end, self.start, side="left")
        last = rows_before(start, self.end, side="right")
        mine, other = _pairs(first, last)
        return Spans(self.tid[mine], np.maximum(self.start[mine], start[other]), np.minimum(self.end[mine], end[other]))

    def union(self) -> Spans:
        """Returns the time of each thread that the spans cover, without overlaps."""
        if len(self.tid) == 0:
            return self
        rows = ThreadRows.of(self.tid, self.start, self.end)
        until = np.maximum.accumulate(rows.end_keys)
        begins = np.append(True, rows.start_keys[1:] > until[:-1])
        last = np.append(np.flatnonzero(begins)[1:] - 1, len(until) - 1)
        return Spans(
            rows.tid_of(rows.start_keys[begins]), rows.time_of(rows.start_keys[begins]), rows.time_of(until[last])
        )


@dataclass(frozen=True)
class ThreadRows:
    """Rows of a table, in order of thread and start; a moment has the same start and end.

    A key is one number that orders by thread and time at once. Starts and ends are kept only as keys, because the rows
    are as many as the capture is long.
    """

    threads: IntArray
    """The threads with rows, in ascending order."""
    start_keys: IntArray
    end_keys: IntArray
    value: AnyArray
    """The value of each row that `within` returns."""
    low: int
    """The time right before the first start."""
    length: int
    """The time from `low` to right after the last end: the number of keys of each thread."""

    @staticmethod
    def of(tid: ArrayLike, start: ArrayLike, end: ArrayLike, value: ArrayLike | None = None) -> ThreadRows:
        """Returns the rows of columns of one length. `value` None: the rows have no values."""
        tids, starts, ends = np.asarray(tid), np.asarray(start, dtype=np.int64), np.asarray(end, dtype=np.int64)
        values = np.full(len(tids), -1, dtype=np.int8) if value is None else np.asarray(value)
        low = int(starts.min(initial=0)) - 1
        length = int(max(ends.max(initial=0), starts.max(initial=0))) + 2 - low
        threads, number = numbered(tids)
        start_keys, end_keys = (number * length - low for _ in range(2))
        start_keys += starts
        end_keys += ends
        if not (start_keys[1:] >= start_keys[:-1]).all():
            order = np.argsort(start_keys, kind="stable")
            start_keys, end_keys, values = start_keys[order], end_keys[order], values[order]
        return ThreadRows(threads, start_keys, end_keys, values, low, length)

    def within(self, spans: Spans) -> tuple[Spans, AnyArray]:
        """Returns the threads' rows cut to each span, and the value of each. Includes rows that only touch a span."""
        number = rows_before(self.threads, spans.tid)
        known = np.isin(spans.tid, self.threads)
        begin, stop = self._keys(number, spans.start), self._keys(number, spans.end)
        found = [_within(layer, begin, stop, known) for layer in self._layers]
        row, span = (np.concatenate([pair[i] for pair in found] or [np.zeros(0, np.int64)]) for i in (0, 1))
        start = np.maximum(self.time_of(self.start_keys[row]), spans.start[span])
        end = np.minimum(self.time_of(self.end_keys[row]), spans.end[span])
        return Spans(spans.tid[span], start, end), self.value[row]

    def latest(self, tid: IntArray, time: IntArray) -> tuple[IntArray, BoolArray]:
        """Returns for each (tid, time) the row of the same thread that began last up to it, or an arbitrary row, and
        whether such a row exists."""
        if len(self.threads) == 0:
            return np.zeros(len(tid), dtype=np.int64), np.zeros(len(tid), dtype=bool)
        at = rows_before(self.start_keys, self._keys(rows_before(self.threads, tid), time), side="right") - 1
        row = np.maximum(at, 0)
        return row, (at >= 0) & (self.tid_of(self.start_keys[row]) == tid)

    def tid_of(self, keys: IntArray) -> IntArray:
        """Returns the threads of these keys."""
        return np.asarray(self.threads[keys // self.length])

    def time_of(self, keys: IntArray) -> IntArray:
        """Returns the times of these keys."""
        return np.asarray(keys % self.length + self.low)

    @cached_property
    def _layers(self) -> list[_Layer]:
        """Layers of rows, one for each depth to which rows nest."""
        if len(self.threads) and (self.start_keys[1:] >= self.end_keys[:-1]).all():
            return [_Layer(None, self.start_keys, self.end_keys)]  # nothing nests, as in tables as long as the capture
        layers, left = [], np.arange(len(self.start_keys))
        while len(left):
            starts, ends = self.start_keys[left], self.end_keys[left]
            free = np.append(True, starts[1:] >= np.maximum.accumulate(ends)[:-1])
            layers.append(_Layer(left[free], starts[free], ends[free]))
            left = left[~free]
        return layers

    def _keys(self, number: IntArray, time: IntArray) -> IntArray:
        """Returns the keys of threads, by their `number` in `_threads`. Times outside those of all rows are moved to
        just before or after them."""
        within = np.clip(time, self.low, self.low + self.length - 1) - self.low
        return np.asarray(number * self.length + within)


@dataclass(frozen=True)
class _Layer:
    """Rows that do not overlap within a thread, so that their ends are in the order of their starts. Nested waits (a
    wait inside a contention) are in another layer."""

    row: IntArray | None
    """None: the whole table, in its order."""
    start_keys: IntArray
    end_keys: IntArray


def _within(layer: _Layer, begin: IntArray, stop: IntArray, known: BoolArray) -> tuple[IntArray, IntArray]:
    """Returns rows of the layer and the span of each. Spans are given by the keys of their begin and end, and by
    whether their thread has rows."""
    first = rows_before(layer.end_keys, begin, side="left")
    last = rows_before(layer.start_keys, stop, side="right")
    span, at = _pairs(first, np.where(known, last, first))
    return at if layer.row is None else layer.row[at], span


def _pairs(first: IntArray, last: IntArray) -> tuple[IntArray, IntArray]:
    """Returns every index i with every number from first[i] up to, not including, last[i]."""
    count = np.maximum(last - first, 0)
    which = np.repeat(np.arange(len(first)), count)
    return which, np.repeat(first - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))
