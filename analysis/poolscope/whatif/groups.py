"""Which items belong together: what one brings about of another is one piece of work, and is repeated or dropped as one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.replay.workload import Op, Workload


def groups(workload: Workload) -> tuple[IntArray, IntArray]:
    """Returns the group of each item, and of each mark: joined by who enqueues whom, and by who waits for whose mark. Shared items join
    nobody."""
    items, marks = workload.count, workload.marks
    one, other = _ties(workload)
    if workload.shared is not None:
        shared = np.append(workload.shared, np.zeros(marks, dtype=bool))
        apart = shared[one] | shared[other]
        one, other = one[~apart], other[~apart]
    group = _components(items + marks, one, other)
    _, group = np.unique(group, return_inverse=True)
    return group[:items].astype(np.int64), group[items:].astype(np.int64)


def _components(count: int, one: IntArray, other: IntArray) -> IntArray:
    """Returns the least node of each node's connected component, by hooking and pointer jumping."""
    parent = np.arange(count)
    while True:
        a, b = parent[one], parent[other]
        apart = a != b
        if not apart.any():
            return parent
        np.minimum.at(parent, np.maximum(a, b)[apart], np.minimum(a, b)[apart])
        while True:
            jumped = parent[parent]
            if (jumped == parent).all():
                break
            parent = jumped


def without_exclusive(workload: Workload) -> Workload:
    """Gives shared items that touch one group alone to that group, such as the engine's item that brings one answer and
    goes on with its request. So they can arrive by themselves."""
    if workload.shared is None:
        return workload
    items = workload.count
    group = np.concatenate(groups(workload))
    shared = np.append(workload.shared, np.zeros(workload.marks, dtype=bool))
    one, other = _ties(workload)
    item = np.concatenate((one, other))
    touched = np.concatenate((other, one))
    some = shared[item] & ~shared[touched]
    pairs = np.unique(np.stack((item[some], group[touched[some]])), axis=1)
    touches = np.bincount(pairs[0], minlength=items)[:items]
    return replace(workload, shared=workload.shared & ~((touches == 1) & np.isfinite(workload.arrival)))


def _ties(workload: Workload) -> tuple[IntArray, IntArray]:
    """Returns both ends of each tie between items, and between items and marks; marks are numbered from
    `workload.count` on."""
    program = workload.program
    owner = np.repeat(np.arange(workload.count), np.diff(program.first))
    enqueues = np.isin(program.op, Op.TO_ITEM)
    marked = np.isin(program.op, Op.TO_MARK)
    one = np.concatenate((owner[enqueues], owner[marked]))
    other = np.concatenate((program.target[enqueues], program.target[marked] + workload.count))
    return one, other
