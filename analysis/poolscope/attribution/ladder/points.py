"""Operations at moments of executions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import FloatArray, IntArray
from poolscope.replay.workload import Op

LAST = np.iinfo(np.int64).max
"""The time of a point that comes at the end of its execution, whenever that is."""
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
"""For one moment: what lets others go on comes before what may block."""


@dataclass(frozen=True)
class Points:
    """Operations at moments of executions, arrays of one length."""

    item: IntArray
    time: IntArray
    op: IntArray
    value: FloatArray
    target: IntArray

    @staticmethod
    def of(item: IntArray, time: IntArray, op: int | IntArray, target: IntArray) -> Points:
        return Points(item, time, np.broadcast_to(np.int64(op), len(item)), np.zeros(len(item)), target)

    @staticmethod
    def at_end(item: IntArray, op: int, value: FloatArray) -> Points:
        """Puts points at the end, for an item of which it is unknown when in its execution it asked for something."""
        some = value > 0
        count = int(some.sum())
        return Points(
            item[some], np.full(count, LAST), np.full(count, op), value[some], np.full(count, -1, dtype=np.int64)
        )

    @staticmethod
    def together(parts: list[Points]) -> Points:
        columns = zip(*((p.item, p.time, p.op, p.value, p.target) for p in parts), strict=True)
        return Points(*(np.concatenate(column) for column in columns))

    @property
    def rank(self) -> IntArray:
        """At one moment of an execution the lower comes first."""
        return np.array([_ORDER[op] for op in range(len(_ORDER))], dtype=np.int64)[self.op]

    def sorted(self) -> Points:
        """Sorts by execution, time and rank."""
        order = np.lexsort((self.rank, self.time, self.item))
        return Points(*(column[order] for column in (self.item, self.time, self.op, self.value, self.target)))
