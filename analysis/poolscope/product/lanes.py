"""Worker lanes: which worker held which item when, and whether it ran, was blocked or waited for a core.

The size is bounded by the picture: at most LANES workers and SEGMENTS segments. A smaller capture has every segment as
measured. In a larger one, each bin of the time axis keeps the longest state and item of its worker.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import FloatArray, IntArray
from poolscope.base.lookup import Runs
from poolscope.base.units import NS_PER_S
from poolscope.capture import DecodedCapture
from poolscope.capture.thread_names import thread_names
from poolscope.contract.analysis_json import LanesJson, LaneWorkerJson
from poolscope.executions.segments import BLOCKED, READY, RUNNING, Executions, Segments
from poolscope.product.cells import Lanes, most_in_cells, time_in_cells

LANES = 40
"""The workers drawn, those that held items longest. The eye cannot separate more lanes."""
SEGMENTS = 12_000
"""The most segments drawn in all."""
MOST_BINS = 1_000
"""The most bins of the time axis if segments have to be merged: a pixel each on a wide screen."""
EVER = 1 << 62
"""A time after every capture, ns."""
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
    order, worker, _ = executions.by_worker
    held = (executions.end - executions.start)[order]
    some = np.flatnonzero((worker >= 0) & (held > 0))
    if len(some) == 0:
        return None
    ran, held = order[some], held[some]
    workers = Runs.of(worker[some])
    busy = np.add.reduceat(held, workers.first)
    costliest = np.argsort(-busy, kind="stable")[:LANES]
    # In the order of their first item: threads that the pool added one by one form a staircase.
    first = executions.start[ran[workers.first]]
    shown = costliest[np.lexsort((workers.group[costliest], first[costliest]))]
    lane_of_worker = np.full(len(workers.group), -1, dtype=np.int8)
    lane_of_worker[shown] = np.arange(len(shown))
    lane = np.full(executions.count, -1, dtype=np.int8)
    lane[ran] = np.repeat(lane_of_worker, workers.count)
    del order, worker, held, some, ran

    length = max(capture.window[1] - capture.window[0], 1)
    segments = attribution.segments
    drawn = _exact(segments, lane)
    bin_ns = None
    if drawn is None:
        bins = max(1, min(MOST_BINS, SEGMENTS // len(shown)))
        bin_ns = length / bins
        drawn = _binned(segments, executions, lane, len(shown), bins, length)
    row = np.append(attribution.items.row, np.full(attribution.carried, -1))
    return {
        "workers": _workers(capture, segments, lane, workers.group[shown], workers.count[shown], busy[shown]),
        "left_out": len(workers.group) - len(shown),
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


def _exact(segments: Segments, lane: Lanes) -> _Drawn | None:
    """Returns every segment, or None if there are too many to draw.

    Adjacent segments of one item and state are joined: a thread may move between cores without a change of state.
    """
    seen = np.zeros(len(lane), dtype=bool)
    seen[segments.item] = True
    if np.count_nonzero(seen & (lane >= 0)) > SEGMENTS:
        return None  # segments of two items are never joined
    segments = segments.where(lane[segments.item] >= 0)
    # Segments are ordered by item and time, so segments that can be joined are adjacent.
    joined = _joined(
        _Drawn(
            lane[segments.item].astype(np.int64),
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


def _binned(segments: Segments, executions: Executions, lane: Lanes, lanes: int, bins: int, length: int) -> _Drawn:
    """Returns one segment per worker and bin, as long as items were held in it, with the state and the item that took
    most of it."""
    width = length / bins
    time = time_in_cells(segments, lane, lanes, bins, length)[list(STATES)]
    total = time.sum(axis=0)
    used = np.flatnonzero(total > 0)
    state = np.array(list(STATES))[np.argmax(time[:, used], axis=0)]
    most = most_in_cells(executions, lane, lanes, bins, length)
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
    capture: DecodedCapture, segments: Segments, lane: Lanes, tids: IntArray, items: IntArray, busy: IntArray
) -> list[LaneWorkerJson]:
    """Returns the activity of each shown worker, in the order of the lanes."""
    whole = time_in_cells(segments, lane, len(tids), 1, EVER)
    time = {name: whole[state] for state, name in STATES.items()}
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
