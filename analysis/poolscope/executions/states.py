"""Passes over the table of thread states, which has a row for every switch of the capture, with the rows of a thread in
one run.

The native extension takes one pass for each question (analysis/native/states.hpp). Without it, NumPy gives the same
result to the bit.
"""

from __future__ import annotations

import numpy as np

from poolscope import native
from poolscope.base.arrays import AnyArray, FloatArray, IntArray
from poolscope.base.lookup import runs
from poolscope.base.series import AT_ONCE, Steps
from poolscope.base.stages import once
from poolscope.capture import DecodedCapture
from poolscope.executions.segments import BLOCKED, RUNNING


@once
def _runs(capture: DecodedCapture) -> tuple[IntArray, IntArray]:
    """Returns the first row of each thread's run, and the number of its rows."""
    return runs(capture.table("thread_states")["tid"].to_numpy())


def rows_in_state(capture: DecodedCapture, state: int, of: IntArray | None = None) -> IntArray:
    """Returns the rows of `thread_states` in this state, in order: of all threads, or of these alone."""
    states = capture.table("thread_states")
    in_state = states["state"].to_numpy()
    if of is None:
        return np.flatnonzero(in_state == state)
    first, count = _runs(capture)
    mine = np.flatnonzero(np.isin(states["tid"].to_numpy()[first], of))  # mostly a small part of the table
    parts = [at + np.flatnonzero(in_state[at : at + rows] == state) for at, rows in zip(first[mine], count[mine])]
    return np.concatenate((np.empty(0, dtype=np.int64), *parts))


def threads_in_state(capture: DecodedCapture, state: int, of: IntArray | None = None) -> Steps:
    """Returns the number of threads in this state, of all threads or of these alone; ns from the start of the
    window."""
    states, start, rows = capture.table("thread_states"), capture.window[0], rows_in_state(capture, state, of)
    return Steps.count(states["start"].to_numpy()[rows] - start, states["end"].to_numpy()[rows] - start)


class ThreadStates:
    """The states of all threads. Times are ns from the start of the window, and those outside are clipped to it."""

    tid: IntArray
    """The thread of each run, shape (runs,)."""

    def __init__(self, capture: DecodedCapture) -> None:
        states = capture.table("thread_states")
        self._capture = capture
        self._start, self._end, self._state = (states[name].to_numpy() for name in ("start", "end", "state"))
        self._first, self._count = _runs(capture)
        self.tid = states["tid"].to_numpy()[self._first]

    def running_in_bins(self, lane: IntArray, lanes: int, edges: FloatArray) -> FloatArray | None:
        """Returns how many threads of each lane are on a core, on average over each bin, shape (lanes, bins). None if
        none ever is. `lane`: that of each run, -1 if none. `edges` are equally spaced."""
        bins = len(edges) - 1
        open_, before, after = np.zeros((lanes, bins + 1), np.int64), np.zeros((lanes, bins)), np.zeros((lanes, bins))
        if native.extension is not None:
            of, room = lane.astype(np.int8), (open_.reshape(-1), before.reshape(-1), after.reshape(-1))
            if not native.extension.states_in_bins(*self._given(), RUNNING, of, edges, *room):
                return None
            return _means(open_, before, after, edges)
        of_row = np.repeat(lane, self._count)
        chosen = (self._state == RUNNING) & (of_row >= 0)
        if not chosen.any():
            return None
        for one in range(lanes):
            rows = np.flatnonzero(chosen & (of_row == one))
            open_[one], before[one], after[one] = _open_in_bins(
                *(t.astype(np.float64) for t in self._times(rows)), edges
            )
        return _means(open_, before, after, edges)

    def integral_while_running(self, steps: Steps) -> FloatArray:
        """Returns the integral over the time of each run on a core, shape (runs,). Integrals that are no whole numbers
        are summed in pieces of AT_ONCE rows."""
        found = np.zeros(len(self._first))
        if native.extension is not None:
            native.extension.integral_in_state(*self._given(), RUNNING, AT_ONCE, *steps.with_marks, found)
            return found
        for at in range(0, len(self._state), AT_ONCE):  # the table has the states of all threads of the capture
            rows = at + np.flatnonzero(self._state[at : at + AT_ONCE] == RUNNING)
            found += np.bincount(self._run(rows), steps.integral(*self._times(rows)), len(found))
        return found

    def runnable(self) -> tuple[IntArray, FloatArray, tuple[IntArray, IntArray, IntArray]]:
        """Returns the threads in ascending order and the time that each ran, shape (threads,); and every time in which
        one was runnable, ready or running: the thread's index, begin and end."""
        threads, number = np.unique(self.tid, return_inverse=True)
        ran = np.zeros(len(threads))
        if native.extension is not None:
            given = *self._given(), BLOCKED, RUNNING, number
            count = native.extension.joined_states(*given, None, None, None, None)
            found = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
            native.extension.joined_states(*given, *found, by_run := np.zeros(len(number)))
            ran[number] = by_run
            return threads, ran, found
        opened, closed = self._capture.window
        start, end, runnable = self._start, self._end, self._state != BLOCKED
        # Within the window. Before and after it, every row of a thread goes on.
        goes_on = np.append(False, (start[1:] == end[:-1]) | (start[1:] <= opened) | (end[:-1] >= closed))
        goes_on[1:] &= runnable[1:] & runnable[:-1]
        goes_on[self._first] = False
        first = np.flatnonzero(runnable & ~goes_on)
        last = np.flatnonzero(runnable & ~np.append(goes_on[1:], False))
        for at in range(0, len(runnable), AT_ONCE):  # sums of whole ns do not depend on the division of the rows
            rows = at + np.flatnonzero(self._state[at : at + AT_ONCE] == RUNNING)
            begin, until = self._times(rows)
            ran += np.bincount(number[self._run(rows)], until - begin, len(threads))
        return threads, ran, (number[self._run(first)], self._times(first)[0], self._times(last)[1])

    def _given(self) -> tuple[IntArray, IntArray, IntArray, AnyArray, int, int]:
        start, end, state = (np.ascontiguousarray(column) for column in (self._start, self._end, self._state))
        return self._first, start, end, state.view(np.int8), *self._capture.window

    def _run(self, rows: IntArray) -> IntArray:
        return np.asarray(np.searchsorted(self._first, rows, side="right") - 1)

    def _times(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        return self._capture.within_window(self._start[rows]), self._capture.within_window(self._end[rows])


def _open_in_bins(begin: FloatArray, end: FloatArray, edges: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """Counts every interval as if it filled its first to last bins. Returns the changes of this count at the bins, and
    the missing time at both ends by bin."""
    bins, width = len(edges) - 1, float(edges[1] - edges[0])
    first: IntArray = np.clip(((begin - edges[0]) / width).astype(np.int64), 0, bins - 1)
    last: IntArray = np.clip(((end - edges[0]) / width).astype(np.int64), 0, bins - 1)
    changes = np.bincount(first, minlength=bins + 1) - np.bincount(last + 1, minlength=bins + 1)
    before = np.bincount(first, weights=begin - (edges[0] + first * width), minlength=bins)
    after = np.bincount(last, weights=edges[0] + (last + 1) * width - end, minlength=bins)
    return changes, before.astype(np.float64, copy=False), after.astype(np.float64, copy=False)


def _means(open_: IntArray, before: FloatArray, after: FloatArray, edges: FloatArray) -> FloatArray:
    """Returns how many intervals are open, on average over each bin, from `_open_in_bins`.

    The result is that of Steps.count(...).mean(edges), without sorting what may be millions of switches.
    """
    width = float(edges[1] - edges[0])
    whole = np.cumsum(open_, axis=-1)[..., :-1] * width
    return np.asarray(np.maximum(whole - before - after, 0.0) / width)
