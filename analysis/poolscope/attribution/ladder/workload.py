"""From measured executions to what each item asks for in any world: its program."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poolscope.attribution.causes.find import Causes
from poolscope.attribution.causes.wakers import OUTSIDE
from poolscope.attribution.ladder.points import Points
from poolscope.attribution.ladder.programs import compile_programs
from poolscope.base.arrays import FloatArray, IntArray
from poolscope.base.lookup import latest
from poolscope.executions.items import Items
from poolscope.executions.segments import BLOCKED, READY, RUNNING, Executions, Segments
from poolscope.replay.workload import Op, Workload


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

    Time ready (no core) and time suspended are obstacles, not demand, and are left out; CPU time on both sides of them
    is one stretch. With `causes`, blocked time that another item ended is a wait for that point of the other's program,
    and what an item queued arrives when it comes to that point; all other blocked time is own demand, as all of it is
    without them. So is execution that no kernel event covers (`unseen`, ns per execution): no obstacle may be blamed
    for it. Items never started get the median demand of their kind. Executions carried into the capture come after the
    items; they hold their threads from the first moment on. `shorter`: by how much less each segment asks for, ns,
    shape (segments,); below 0: more.
    """
    # Up to when a segment is own demand.
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
        points, marks = _points(segments, causes, until)
        parts += [_outside_waits(segments, causes, until, p) for p in points]
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
    """Adds what a segment asks for beyond its measured length."""
    more = np.flatnonzero(shorter < 0)
    none = np.full(len(more), -1)
    return Points(segments.item[more], segments.start[more], kinds[more], np.rint(-shorter[more]), none)


def _points(segments: Segments, causes: Causes, until: IntArray) -> tuple[list[Points], int]:
    """Returns the operations that tie items to each other, and how many marks they use."""
    awaited, holds, answers = causes.awaited, causes.holds, causes.answers
    # One mark for all that one moment of one execution ended.
    order = np.lexsort((awaited.time, awaited.cause))
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
    """Returns what lets others go on, told within a wait for others, comes before it: a blocked thread does nothing, so the times
    are off, and behind the wait it might be what the wait waits for."""
    if len(points.item) == 0 or len(segments.item) == 0:
        return points
    at, same = latest(segments.item, segments.start, points.item, points.time)
    within = same & causes.replaced[at] & (points.time < segments.end[at])
    within &= np.isin(points.op, (*Op.TO_ITEM, Op.MARK, Op.ANSWER_MARK))
    return replace(points, time=np.where(within, np.minimum(points.time, until[at]), points.time))


def _unstarted(items: Items, segments: Segments, until: IntArray) -> list[Points]:
    """Gives items that never started one CPU and one blocked stretch, each the median over finished items of the kind
    (of any kind if it has none)."""
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
