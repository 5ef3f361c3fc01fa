"""Worker lanes: which worker held which item when, and whether it ran, was blocked or waited for a core.

The size is bounded by the picture: at most LANES workers and SEGMENTS segments. A smaller capture has every segment as
measured. In a larger one, each bin of the time axis keeps the longest state and item of its worker.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import FloatArray, IntArray
from poolscope.base.units import NS_PER_S
from poolscope.capture import DecodedCapture
from poolscope.capture.thread_names import thread_names
from poolscope.contract.analysis_json import LanesJson, LaneWorkerJson
from poolscope.executions.segments import BLOCKED, READY, RUNNING, Executions, Segments


LANES = 40
"""The workers drawn, those that held items longest. The eye cannot separate more lanes."""
SEGMENTS = 12_000
"""The most segments drawn in all."""
MOST_BINS = 1_000
"""The most bins of the time axis if segments have to be merged: a pixel each on a wide screen."""
SEGMENTS_AT_ONCE = 1_000_000
"""Approximate. A dozen arrays have this length."""
FULL = 0.95
"""A bin that held items for at least this share is drawn whole, so that it can be joined with its neighbours."""

STATES = {RUNNING: "running", READY: "ready", BLOCKED: "blocked"}


@dataclass(frozen=True)
class _Drawn:
    """Segments of the shown workers, as arrays of equal length, ordered by worker and time. Times are ns."""

    worker: IntArray
    """Index of the lane."""
    item: IntArray
    """Index into Executions."""
    state: IntArray
    start: FloatArray
    end: FloatArray


def build_lanes(capture: DecodedCapture, attribution: Attribution) -> LanesJson | None:
    """Builds the lanes of workers. Returns None without a kernel stream, because only that shows a worker's state, or
    if no item ran.

    Times are seconds from the start of the window. `item` is a work_items.id, or -1 if it began before the capture.
    """
    if attribution.split is None:
        return None
    executions = attribution.executions
    held = executions.end - executions.start
    ran = np.flatnonzero((executions.worker >= 0) & (held > 0))
    if len(ran) == 0:
        return None
    workers, of_run = np.unique(executions.worker[ran], return_inverse=True)
    busy = np.bincount(of_run, held[ran], len(workers))
    costliest = np.argsort(-busy, kind="stable")[:LANES]
    first = np.full(len(workers), np.inf)
    np.minimum.at(first, of_run, executions.start[ran])
    # In the order of their first item: threads that the pool added one by one form a staircase.
    shown = costliest[np.lexsort((workers[costliest], first[costliest]))]
    lane_of_worker = np.full(len(workers), -1)
    lane_of_worker[shown] = np.arange(len(shown))
    lane = np.full(executions.count, -1)
    lane[ran] = lane_of_worker[of_run]

    length = float(max(capture.window[1] - capture.window[0], 1))
    mine = attribution.segments.where(lane[attribution.segments.item] >= 0)
    drawn = _exact(mine, lane)
    bin_ns = None
    if drawn is None:
        bins = max(1, min(MOST_BINS, SEGMENTS // len(shown)))
        bin_ns = length / bins
        drawn = _binned(mine, executions, lane, len(shown), bins, bin_ns)
    row = np.append(attribution.items.row, np.full(attribution.carried, -1))
    return {
        "workers": _workers(capture, attribution, executions, lane, workers[shown]),
        "left_out": len(workers) - len(shown),
        "left_out_busy_s": _seconds(busy.sum() - busy[shown].sum()),
        "bin_s": None if bin_ns is None else round(bin_ns / NS_PER_S, 6),
        "segments": {
            "worker": drawn.worker.tolist(),
            "item": row[drawn.item].tolist(),
            "state": [STATES[s] for s in drawn.state.tolist()],
            "start_s": [_seconds(t) for t in drawn.start.tolist()],
            "end_s": [_seconds(t) for t in drawn.end.tolist()],
        },
    }


def _exact(segments: Segments, lane: IntArray) -> _Drawn | None:
    """Returns every segment, or None if there are too many to draw.

    Adjacent segments of one item and state are joined: a thread may move between cores without a change of state.
    """
    if 1 + np.count_nonzero(segments.item[1:] != segments.item[:-1]) > SEGMENTS:
        return None  # segments of two items are never joined
    # Segments are ordered by item and time, so segments that can be joined are adjacent.
    joined = _joined(
        _Drawn(
            lane[segments.item],
            segments.item,
            segments.state,
            segments.start.astype(np.float64),
            segments.end.astype(np.float64),
        )
    )
    if len(joined.worker) > SEGMENTS:
        return None
    order = np.lexsort((joined.start, joined.worker))
    return _Drawn(joined.worker[order], joined.item[order], joined.state[order], joined.start[order], joined.end[order])


def _binned(segments: Segments, executions: Executions, lane: IntArray, lanes: int, bins: int, width: float) -> _Drawn:
    """Returns one segment per worker and bin, as long as items were held in it, with the state and the item that took
    most of it."""
    cells = lanes * bins
    time = np.zeros((len(STATES), cells))
    # A cell belongs to one lane, so it is summed in one piece, whichever lanes are processed together.
    of_segment = lane[segments.item]
    some = max(1, lanes * SEGMENTS_AT_ONCE // max(len(of_segment), 1))
    for low in range(0, lanes, some):
        mine = np.flatnonzero((of_segment >= low) & (of_segment < low + some))
        which, cell, part = _spread(of_segment[mine], segments.start[mine], segments.end[mine], bins, width)
        # One count over (state, cell), because states are small numbers.
        of_piece = segments.state[mine][which].astype(np.int64)
        by_state = np.bincount(of_piece * cells + cell, part, (max(STATES) + 1) * cells)
        time += by_state.reshape(-1, cells)[list(STATES)]
    total = time.sum(axis=0)
    used = np.flatnonzero(total > 0)
    state = np.array(list(STATES))[np.argmax(time[:, used], axis=0)]

    held = np.flatnonzero((lane >= 0) & (executions.end > executions.start))
    which, cell, part = _spread(lane[held], executions.start[held], executions.end[held], bins, width)
    order = np.lexsort((part, cell))
    last = np.append(cell[order][1:] != cell[order][:-1], True)
    most = np.full(cells, -1)
    most[cell[order][last]] = held[which[order][last]]

    share = np.minimum(total[used] / width, 1.0)
    start = (used % bins) * width
    return _joined(
        _Drawn(
            worker=used // bins,
            item=most[used],
            state=state,
            start=start,
            end=start + np.where(share >= FULL, 1.0, share) * width,
        )
    )


def _spread(
    lane: IntArray, start: IntArray, end: IntArray, bins: int, width: float
) -> tuple[IntArray, IntArray, FloatArray]:
    """Cuts intervals at the edges of bins. Returns, for each piece, its interval, its cell (lane * bins + bin) and
    length in ns.

    A worker does one thing at a time, so there are at most as many pieces as intervals plus cells.
    """
    low = np.clip((start / width).astype(np.int64), 0, bins - 1)
    high = np.clip(np.ceil(end / width).astype(np.int64) - 1, low, bins - 1)
    count = high - low + 1
    which = np.repeat(np.arange(len(lane)), count)
    bin_of = np.repeat(low - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))
    part = np.minimum(end[which], (bin_of + 1) * width) - np.maximum(start[which], bin_of * width)
    return which, lane[which] * bins + bin_of, np.maximum(part, 0.0)


def _joined(drawn: _Drawn) -> _Drawn:
    """Joins adjacent segments of one worker, item and state."""
    if len(drawn.worker) == 0:
        return drawn
    same = (
        (drawn.worker[1:] == drawn.worker[:-1])
        & (drawn.item[1:] == drawn.item[:-1])
        & (drawn.state[1:] == drawn.state[:-1])
        & (drawn.start[1:] - drawn.end[:-1] < 1.0)  # ns: edges of bins are no integers
    )
    first, last = np.append(True, ~same), np.append(~same, True)
    return _Drawn(drawn.worker[first], drawn.item[first], drawn.state[first], drawn.start[first], drawn.end[last])


def _workers(
    capture: DecodedCapture, attribution: Attribution, executions: Executions, lane: IntArray, tids: IntArray
) -> list[LaneWorkerJson]:
    """Returns the activity of each shown worker, in the order of the lanes."""
    shown = np.flatnonzero(lane >= 0)
    of_lane = lane[shown]
    lanes = len(tids)
    items = np.bincount(of_lane, minlength=lanes)
    busy = np.bincount(of_lane, (executions.end - executions.start)[shown], lanes)
    segments = attribution.segments
    mine = lane[segments.item] >= 0
    where, state, duration = lane[segments.item[mine]], segments.state[mine], segments.duration[mine]
    time = {name: np.bincount(where[state == s], duration[state == s], lanes) for s, name in STATES.items()}
    names = thread_names(capture, tids)
    return [
        {
            "tid": int(tid),
            "name": names.get(int(tid)),
            "items": int(items[i]),
            "busy_s": _seconds(busy[i]),
            "cpu_s": _seconds(time["running"][i]),
            "blocked_s": _seconds(time["blocked"][i]),
            "ready_s": _seconds(time["ready"][i]),
        }
        for i, tid in enumerate(tids)
    ]


def _seconds(ns: float) -> float:
    return round(float(ns) / NS_PER_S, 6)
