"""Helpers that return the causes and programs of captures written by hand."""

from dataclasses import dataclass

import numpy as np
from poolscope.attribution.attribute import _execution_parts
from poolscope.attribution.causes.find import Causes, find_causes
from poolscope.attribution.causes.origins import OUTSIDE, UNKNOWN, find_wakers
from poolscope.attribution.programs import build_workload
from poolscope.executions.items import Items, load_items
from poolscope.executions.running_at_attach import find_carried
from poolscope.executions.segments import BLOCKED, Executions, Segments, cut_executions
from poolscope.executions.suspension import caused_by_suspension, suspended
from poolscope.replay.workload import Op, Workload
from synthetic import MS, CaptureBuilder

NAMES = {value: name for name, value in vars(Op).items() if isinstance(value, int)}


@dataclass
class Causal:
    items: Items
    executions: Executions
    segments: Segments
    causes: Causes
    workload: Workload
    waker: np.ndarray
    woken: np.ndarray

    def program(self, item):
        """Returns the operations of one item as (name, value in ms or target)."""
        program = self.workload.program
        rows = range(program.first[item], program.first[item + 1])
        return [
            (
                NAMES[int(program.op[r])],
                program.value[r] / MS if program.op[r] in Op.TIMED else int(program.target[r]),
            )
            for r in rows
        ]

    def edges(self):
        """Returns the edges between executions as (from, at ms, to, at ms, kind, how known), sorted: what happened to
        an execution, and the execution and the moment in it that caused it. Moments are ms from the dequeue."""
        items, executions, segments, causes = self.items, self.executions, self.segments, self.causes
        completed, awaited = set(causes.awaited.completion.tolist()), causes.awaited
        found = []
        for to in np.flatnonzero(causes.parent != OUTSIDE).tolist():
            how = ("completion", "inferred") if to in completed else ("arrival", "enqueue")
            found.append((int(causes.parent[to]), items.enqueue[to], to, executions.start[to], *how))
        for segment, cause, time, task, known in zip(
            awaited.segment.tolist(), awaited.cause.tolist(), awaited.time, awaited.task, awaited.known, strict=True
        ):
            how = "task" if task else "wait", "wakeup" if known == 0 else "task-events"
            found.append((cause, time, int(segments.item[segment]), segments.end[segment], *how))
        for segment in np.flatnonzero(causes.holds.replaced & (self.waker >= 0)).tolist():
            of = int(self.waker[segment]), self.woken[segment], int(segments.item[segment]), segments.end[segment]
            found.append((*of, "lock", "contention"))
        start = executions.start
        return sorted((f, (at - start[f]) / MS, to, (then - start[to]) / MS, *how) for f, at, to, then, *how in found)

    def unknown(self):
        """Returns whether each segment is blocked with an unknown end, in items that no suspension stopped."""
        return (self.segments.state == BLOCKED) & (self.waker == UNKNOWN) & ~self.causes.replaced


def causal(builder: CaptureBuilder) -> Causal:
    capture = builder.write()
    items = load_items(capture)
    executions = Executions.of(items, find_carried(capture, items))
    segments = cut_executions(capture, executions)
    suspension = suspended(capture)
    by_suspension = caused_by_suspension(capture, executions, segments, suspension)
    causes = find_causes(capture, items, executions, segments, by_suspension)
    unseen = _execution_parts(executions, segments, by_suspension).unknown
    workload = build_workload(items, executions, segments, by_suspension, unseen, causes)
    assert np.isfinite(workload.program.value).all()
    wakers = find_wakers(capture, executions, segments)
    return Causal(items, executions, segments, causes, workload, wakers.execution, wakers.time)
