"""Turns measured executions into programs: the demand of each item in any world."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poolscope.attribution.causes.find import Causes
from poolscope.attribution.causes.origins import OUTSIDE
from poolscope.base.arrays import AnyArray, FloatArray, IntArray
from poolscope.base.lookup import latest, ordered
from poolscope.base.searches import programs, rows_before
from poolscope.executions.items import Items
from poolscope.executions.segments import BLOCKED, READY, RUNNING, Executions, Segments
from poolscope.replay.workload import Op, Program, Workload


LAST = np.iinfo(np.int64).max
"""The time of a point at the end of its execution, whenever that is."""
_ORDER = {
    Op.RELEASE: 0,
    Op.MARK: 1,
    Op.ENQUEUE: 2,
    Op.ANSWER: 2,
    Op.ANSWER_MARK: 2,
    Op.ACQUIRE: 3,
    Op.WAIT: 4,
    Op.TASK_WAIT: 4,
    Op.CPU: 5,
    Op.BLOCKED: 5,
    Op.TASK_BLOCKED: 5,
}
"""The order at one moment: operations that let others go on come before operations that may block."""


@dataclass(frozen=True)
class Points:
    """Operations at moments of executions, in arrays of one length."""

    item: IntArray
    time: IntArray
    op: AnyArray
    value: FloatArray
    target: AnyArray

    @staticmethod
    def of(item: IntArray, time: IntArray, op: int | AnyArray, target: IntArray) -> Points:
        kind = np.broadcast_to(np.asarray(op, dtype=np.int8), len(item))
        return Points(item, time, kind, np.broadcast_to(0.0, len(item)), target)

    @staticmethod
    def at_end(item: IntArray, op: int, value: FloatArray) -> Points:
        """Returns points at the end of items, for demand whose moment in the execution the capture does not show."""
        some = value > 0
        count = int(some.sum())
        return Points(
            item[some],
            np.broadcast_to(LAST, count),
            np.full(count, op, np.int8),
            value[some],
            np.full(count, -1, np.int32),
        )

    @staticmethod
    def together(parts: list[Points]) -> Points:
        """Returns the points of all parts, and empties the list: the parts are as long as the result."""
        parts = [part for part in parts if len(part.item)] or parts[:1]
        if len(parts) == 1:
            return parts[0]
        columns = zip(*((p.item, p.time, p.op, p.value, p.target) for p in parts), strict=True)
        whole = Points(*(np.concatenate(column) for column in columns))
        parts.clear()
        return whole

    @property
    def rank(self) -> IntArray:
        """The order at one moment of an execution: the lower rank comes first."""
        return np.array([_ORDER[op] for op in range(len(_ORDER))], dtype=np.int64)[self.op]

    def sorted(self) -> Points:
        """Returns the points sorted by execution, time and rank."""
        if (self.item[1:] > self.item[:-1]).all():
            return self
        # The end stays behind all other moments, and leaves room for the keys of `ordered`.
        ended = self.time == LAST
        time = np.where(ended, np.max(self.time, initial=-1, where=~ended) + 1, self.time)
        order = ordered(self.item, time, self.rank)
        columns: tuple[AnyArray, ...] = (self.item, self.time, self.op, self.value, self.target)
        return Points(*(column[order] for column in columns))


def compile_programs(executions: int, segments: Segments, until: IntArray, kinds: IntArray, points: Points) -> Program:
    """Cuts the segments at the points. Each row, a segment or a point, is followed by the rest of its segment up to the
    next row. A segment comes before the points of its moment. Neighbours of one kind in one execution form one stretch.

    `until`: where a segment's own demand ends, ns. `kinds`: its operation. Ready time is no demand.
    """
    points = points.sorted()
    found = programs(
        (segments.item, segments.start, until, np.where(segments.state == READY, np.int8(-1), kinds)),
        (points.item, points.time, points.op, points.value, points.target),
        Op.BLOCKED,
        executions,
    )
    return compile_by_sorting(executions, segments, until, kinds, points) if found is None else Program(*found)


def compile_by_sorting(
    executions: int, segments: Segments, until: IntArray, kinds: IntArray, points: Points
) -> Program:
    """Returns the result of `compile_programs`, computed with NumPy."""
    count = len(segments.item)
    item = np.concatenate((segments.item, points.item))
    time = np.concatenate((segments.start, points.time))
    order = np.lexsort((np.concatenate((np.full(count, -1), points.rank)), time, item))
    item, time = item[order], time[order]
    rows = len(order)
    segment = np.where(order < count, order, -1)
    # The segment that a row lies in: the last one before it, if it belongs to the same item.
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
    # A point's own operation comes before the rest of the segment.
    is_point, is_left = order >= count, left > 0
    which = order[is_point] - count
    place = np.cumsum(is_point.astype(np.int64) + is_left) - is_left
    total = int(is_point.sum() + is_left.sum())
    op, value = np.empty(total, dtype=np.int8), np.empty(total)
    at, of_left = place[is_point] - 1, place[is_left]
    op[at], value[at] = points.op[which], points.value[which]
    if count:
        op[of_left], value[of_left] = kinds[segment[is_left]], left[is_left]
    target = np.full(total, -1, dtype=np.int32)
    target[at] = points.target[which]
    del segment, left, order, place, of_left
    item = np.repeat(item, is_point.astype(np.int64) + is_left)

    # Neighbours of one kind in one item form one stretch.
    begins = np.ones(total, dtype=bool)
    begins[1:] = (item[1:] != item[:-1]) | (op[1:] != op[:-1]) | (op[1:] > Op.BLOCKED)
    at = np.flatnonzero(begins)
    return Program(
        first=rows_before(item[at], np.arange(executions + 1)).astype(np.int64),
        op=op[at],
        value=np.add.reduceat(value, at) if len(at) else value,
        target=target[at],
    )


def build_workload(
    items: Items,
    executions: Executions,
    segments: Segments,
    by_suspension: IntArray,
    unseen: IntArray,
    causes: Causes | None = None,
    shorter: FloatArray | None = None,
) -> Workload:
    """Builds the workload of the ladder: arrivals and pick order as measured, programs from the segments.

    Ready time (no core) and suspended time are obstacles, not demand, and are left out. CPU time on both sides of them
    is one stretch. With `causes`, blocked time that another item ended is a wait for that point of the other's program,
    and an item arrives when the item that queued it reaches that point. All other blocked time is own demand, as all
    blocked time is without `causes`. Execution that no kernel event covers (`unseen`, ns per execution) is own demand,
    too: no obstacle may be blamed for it. Items that never started get the median demand of their kind. Executions
    carried into the capture come after the items; they hold their threads from the first moment on. `shorter`: the time
    by which each segment asks for less, ns, shape (segments,); below 0: more.
    """
    # The end of a segment's own demand.
    until = np.where(segments.state == READY, segments.start, segments.end - by_suspension)
    arrival = items.enqueue.astype(np.float64)
    parts = [Points.at_end(np.arange(executions.count), Op.BLOCKED, unseen.astype(np.float64))]
    marks = locks = 0
    shared = None
    kinds = np.where(segments.state == RUNNING, np.int8(Op.CPU), np.int8(Op.BLOCKED))
    if causes is not None:
        until = np.where(causes.replaced, segments.start, until)
        brings = np.flatnonzero(causes.awaited.completion >= 0)
        until[causes.awaited.segment[brings]] = np.clip(
            items.enqueue[causes.awaited.completion[brings]],
            segments.start[causes.awaited.segment[brings]],
            segments.end[causes.awaited.segment[brings]],
        )
        arrival[causes.parent != OUTSIDE] = np.inf
        tied, marks = _points(segments, causes, until)
        parts += [_outside_waits(segments, causes, until, points) for points in tied]
        del tied
        locks = causes.holds.locks
        shared = np.append(causes.shared, np.zeros(executions.count - items.count, dtype=bool))
        kinds = np.where(causes.task & (kinds == Op.BLOCKED), np.int8(Op.TASK_BLOCKED), kinds)
    if shorter is not None:
        until = np.maximum(until - np.rint(np.maximum(shorter, 0.0)).astype(np.int64), segments.start)
        parts.append(_longer(segments, kinds, shorter))
    parts += _unstarted(items, segments, until)
    carried = executions.count - items.count
    return Workload(
        arrival=np.concatenate((arrival, np.zeros(carried))),
        rank=np.concatenate((items.rank, np.arange(carried) - carried)).astype(np.int64),
        program=compile_programs(executions.count, segments, until, kinds, Points.together(parts)),
        marks=marks,
        locks=locks,
        shared=shared,
    )


def _longer(segments: Segments, kinds: IntArray, shorter: FloatArray) -> Points:
    """Returns the demand of segments beyond their measured length."""
    more = np.flatnonzero(shorter < 0)
    none = np.full(len(more), -1)
    return Points(segments.item[more], segments.start[more], kinds[more], np.rint(-shorter[more]), none)


def _points(segments: Segments, causes: Causes, until: IntArray) -> tuple[list[Points], int]:
    """Returns the operations that tie items to each other, and the number of marks they use."""
    awaited, holds, answers = causes.awaited, causes.holds, causes.answers
    # One mark for everything that one moment of one execution ended.
    order = ordered(awaited.cause, awaited.time)
    cause, time = awaited.cause[order], awaited.time[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (cause[1:] != cause[:-1]) | (time[1:] != time[:-1])
    mark = np.zeros(len(order), dtype=np.int64)
    mark[order] = np.cumsum(new) - 1
    marks = int(new.sum())
    ended = causes.ended_by_answer
    _, only = np.unique(mark[ended.to], return_index=True)
    ended = ended.where(np.isin(np.arange(len(ended.to)), only))
    child = np.flatnonzero(causes.parent != OUTSIDE)
    waits = np.where(awaited.task, Op.TASK_WAIT, Op.WAIT)
    return [
        Points.of(cause[new], time[new], Op.MARK, np.arange(marks)),
        Points.of(segments.item[awaited.segment], until[awaited.segment], waits, mark),
        replace(
            Points.of(causes.parent[child], causes.enters[child], Op.ENQUEUE, child), value=causes.not_before[child]
        ),
        replace(
            Points.of(answers.asked_by, answers.asked, Op.ANSWER, answers.to), value=answers.took.astype(np.float64)
        ),
        replace(
            Points.of(ended.asked_by, ended.asked, Op.ANSWER_MARK, mark[ended.to]),
            value=ended.took.astype(np.float64),
        ),
        Points.of(holds.execution, holds.asked, Op.ACQUIRE, holds.lock),
        Points.of(holds.execution, holds.released, Op.RELEASE, holds.lock),
    ], marks


def _outside_waits(segments: Segments, causes: Causes, until: IntArray, points: Points) -> Points:
    """Moves operations that let others go on to before the wait for others that they lie in. A blocked thread does
    nothing, so their times are inexact; after the wait, an operation might be the one that the wait waits for."""
    if len(points.item) == 0 or len(segments.item) == 0:
        return points
    at, same = latest(segments.item, segments.start, points.item, points.time)
    within = same & causes.replaced[at] & (points.time < segments.end[at])
    within &= np.isin(points.op, (*Op.TO_ITEM, Op.MARK, Op.ANSWER_MARK))
    return replace(points, time=np.where(within, np.minimum(points.time, until[at]), points.time))


def _unstarted(items: Items, segments: Segments, until: IntArray) -> list[Points]:
    """Gives items that never started one CPU and one blocked stretch, each the median over finished items of the kind
    (of any kind if that kind has no finished item)."""
    waiting = np.flatnonzero(items.queued_at_end)
    if len(waiting) == 0:
        return []
    own = np.maximum(until - segments.start, 0)

    def total(state: int) -> FloatArray:
        chosen = segments.state == state
        return np.bincount(segments.item[chosen], own[chosen], items.count)[: items.count].astype(np.float64)

    finished = items.started & ~items.running_at_end
    result = []
    for state, op in ((RUNNING, Op.CPU), (BLOCKED, Op.BLOCKED)):
        seen = total(state)
        demand = np.zeros(len(waiting))
        for kind in np.unique(items.kind[waiting]):
            like = finished & (items.kind == kind)
            like = like if like.any() else finished
            if like.any():
                demand[items.kind[waiting] == kind] = np.median(seen[like])
        result.append(Points.at_end(waiting, op, demand))
    return result
