"""Helpers that return the causes and programs of captures written by hand."""

from dataclasses import dataclass

import numpy as np
from poolscope.attribution.attribute import _execution_parts
from poolscope.attribution.causes.find import KINDS, Causes, find_causes
from poolscope.attribution.programs import build_workload
from poolscope.executions.items import Items, load_items
from poolscope.executions.running_at_attach import find_carried
from poolscope.executions.segments import Executions, cut_executions
from poolscope.executions.suspension import caused_by_suspension, suspended
from poolscope.replay.workload import Op, Workload
from synthetic import MS, CaptureBuilder

KNOWN = ("enqueue", "wakeup", "task-events", "contention", "inferred")
"""Names of the ways in which an edge is known, in the order of their numbers."""
NAMES = {value: name for name, value in vars(Op).items() if isinstance(value, int)}


@dataclass
class Causal:
    items: Items
    causes: Causes
    workload: Workload

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
        """Returns the edges as (from, at ms, to, at ms, kind, how known), sorted."""
        e = self.causes.edges
        rows = zip(e.from_item, e.from_offset / MS, e.to_item, e.to_offset / MS, e.kind, e.known, strict=True)
        return sorted((int(f), fo, int(t), to, KINDS[k], KNOWN[h]) for f, fo, t, to, k, h in rows)


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
    return Causal(items, causes, workload)
