"""What each execution asks for, one operation after the other: its segments, cut at the points."""

from __future__ import annotations

import numpy as np

from poolscope.attribution.ladder.points import LAST, Points
from poolscope.base.arrays import IntArray
from poolscope.base.searches import programs, rows_before
from poolscope.executions.segments import READY, Segments
from poolscope.replay.workload import Op, Program


def compile_programs(executions: int, segments: Segments, until: IntArray, kinds: IntArray, points: Points) -> Program:
    """Cuts the segments at the points: each row, a segment or a point, is followed by what is left of its segment up to the
    next row. A segment comes before the points of its moment; neighbours of one kind in one execution are one stretch.

    `until`: where a segment's own demand ends, ns. `kinds`: its operation. Time ready is no demand.
    """
    sorted_points = points.sorted()
    found = programs(
        (segments.item, segments.start, until, np.where(segments.state == READY, np.int8(-1), kinds)),
        (sorted_points.item, sorted_points.time, sorted_points.op, sorted_points.value, sorted_points.target),
        Op.BLOCKED,
        executions,
    )
    return compile_by_sorting(executions, segments, until, kinds, points) if found is None else Program(*found)


def compile_by_sorting(
    executions: int, segments: Segments, until: IntArray, kinds: IntArray, points: Points
) -> Program:
    """Returns the same by NumPy."""
    count = len(segments.item)
    item = np.concatenate((segments.item, points.item))
    time = np.concatenate((segments.start, points.time))
    order = np.lexsort((np.concatenate((np.full(count, -1), points.rank)), time, item))
    item, time = item[order], time[order]
    rows = len(order)
    segment = np.where(order < count, order, -1)
    # The segment that a row lies in: the last one before it, if it is the same item's.
    segment = segment[np.maximum.accumulate(np.where(segment >= 0, np.arange(rows), 0))]
    inside = (segment >= 0) & (segments.item[segment] == item) if count else np.zeros(rows, dtype=bool)
    following = np.full(rows, LAST)
    same = item[1:] == item[:-1]
    following[:-1][same] = time[1:][same]
    left = np.zeros(rows, dtype=np.int64)
    if count:
        left = np.minimum(following, until[segment])
        left -= time
        left[~inside | (segments.state[segment] == READY)] = 0
        np.maximum(left, 0, out=left)
    del following, time, inside
    # A point's own operation comes before what is left.
    is_point, is_left = order >= count, left > 0
    which = order[is_point] - count
    place = np.cumsum(is_point.astype(np.int64) + is_left) - is_left
    total = int(is_point.sum() + is_left.sum())
    op, value = np.empty(total, dtype=np.int8), np.empty(total)
    at, of_left = place[is_point] - 1, place[is_left]
    op[at], value[at] = points.op[which], points.value[which]
    if count:
        op[of_left], value[of_left] = kinds[segment[is_left]], left[is_left]
    target = np.full(total, -1, dtype=np.int64)
    target[at] = points.target[which]
    del segment, left, order, place, of_left
    item = np.repeat(item, is_point.astype(np.int64) + is_left)

    # Neighbours of one kind in one item are one stretch.
    begins = np.ones(total, dtype=bool)
    begins[1:] = (item[1:] != item[:-1]) | (op[1:] != op[:-1]) | (op[1:] > Op.BLOCKED)
    at = np.flatnonzero(begins)
    return Program(
        first=rows_before(item[at], np.arange(executions + 1)).astype(np.int64),
        op=op[at],
        value=np.add.reduceat(value, at) if len(at) else value,
        target=target[at],
    )
