"""The same work at another rate: arrivals thinned, or repeated.

What items do to each other stays whole: items that enqueue or wake one another are one group, and a group is kept,
repeated or dropped as one. Locks are shared by all copies, as they would be by more of the same requests.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.replay.workload import Op, Program, Workload

BLOCK = 16
"""Groups in order of arrival among which chance decides which are repeated (or dropped). In each block it is so many as
the load asks for, so that the rate over time keeps its shape; which of them is drawn, so that no rhythm of the
arrivals is picked out."""


@dataclass(frozen=True)
class Loaded:
    """A workload at another rate."""

    workload: Workload
    origin: IntArray
    """Shape (items,): the item of the captured workload that each one is, or is a copy of."""
    largest_group: float
    """Share of the items that hang together in the largest group: it is kept or repeated as one."""


def at_load(workload: Workload, load: float, seed: int, kept: IntArray | None = None) -> Loaded:
    """`load` times the arrivals; `kept` are items that are there once whatever the load is, with all that they touch.

    A copy arrives up to as long after its original as the next group does (at most as long as since the one before), so
    that a burst stays a burst and a steady stream a steady one. 1.0 gives the workload itself.
    """
    count = workload.count
    if load == 1.0 or count == 0:
        return Loaded(workload, np.arange(count, dtype=np.int64), 0.0)
    group, mark_group = groups(workload)
    size = np.bincount(group, minlength=int(mark_group.max(initial=-1)) + 1)
    once = size == 0  # a mark that no item touches is a group without items
    if kept is not None:
        once[group[kept]] = True
    random = np.random.default_rng(seed)
    begin = _begin(workload.arrival, group, len(size))
    copies_of_group = _copies(begin, once, load, random)
    copies = copies_of_group[group]
    repeated = _repeat(workload, copies, copies_of_group[mark_group])
    shift = _shift(begin, copies_of_group, once, random)
    origin = np.repeat(np.arange(count), copies)
    number = np.arange(len(origin)) - np.repeat(np.cumsum(copies) - copies, copies)
    first_shift = np.cumsum(copies_of_group) - copies_of_group
    later = shift[first_shift[group[origin]] + number]
    arrival = repeated.arrival + later
    rank = np.empty(len(origin), dtype=np.int64)
    rank[np.lexsort((number, workload.rank[origin]))] = np.arange(len(origin))
    # What was carried into the capture has negative ranks, before all that arrived in it.
    rank += int(min(workload.rank.min(), 0))
    made = Workload(arrival, rank, _not_before(repeated.program, later), repeated.marks, repeated.locks)
    return Loaded(made, origin.astype(np.int64), float(size.max()) / count)


def _not_before(program: Program, later: FloatArray) -> Program:
    """The times before which an item does not arrive move with its group."""
    limited = (program.op == Op.ENQUEUE) & (program.value > 0)
    moved = program.value + np.repeat(later, np.diff(program.first))
    return replace(program, value=np.where(limited, moved, program.value))


def groups(workload: Workload) -> tuple[IntArray, IntArray]:
    """The group of each item, and of each mark: joined by who enqueues whom, and by who waits for whose mark."""
    items, marks = workload.count, workload.marks
    program = workload.program
    owner = np.repeat(np.arange(items), np.diff(program.first))
    enqueues = np.isin(program.op, Op.TO_ITEM)
    marked = np.isin(program.op, Op.TO_MARK)
    one = np.concatenate((owner[enqueues], owner[marked]))
    other = np.concatenate((program.target[enqueues], program.target[marked] + items))
    group = _components(items + marks, one, other)
    _, group = np.unique(group, return_inverse=True)
    return group[:items].astype(np.int64), group[items:].astype(np.int64)


def _components(count: int, one: IntArray, other: IntArray) -> IntArray:
    """The least node of each node's connected component, by hooking and pointer jumping."""
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


def _begin(arrival: FloatArray, group: IntArray, count: int) -> FloatArray:
    """When the first item of each group arrives; inf for marks that nobody touches."""
    begin = np.full(count, np.inf)
    np.minimum.at(begin, group, arrival)
    return begin


def _copies(begin: FloatArray, once: BoolArray, load: float, random: np.random.Generator) -> IntArray:
    """How often each group is there: floor(load), and in each block as many once more as its share asks for."""
    copies = np.full(len(begin), int(np.floor(load)), dtype=np.int64)
    share = load - np.floor(load)
    drawn = np.flatnonzero(~once)
    drawn = drawn[np.argsort(begin[drawn], kind="stable")]
    at = np.append(np.arange(0, len(drawn), BLOCK), len(drawn))
    due = np.floor(share * at + random.random()).astype(np.int64)
    for low, high, extra in zip(at[:-1], at[1:], np.diff(due)):
        copies[random.choice(drawn[low:high], size=min(int(extra), high - low), replace=False)] += 1
    copies[once] = 1
    return copies


def _shift(begin: FloatArray, copies: IntArray, once: BoolArray, random: np.random.Generator) -> FloatArray:
    """How much later than captured each copy of each group arrives, ns; the first one at its own time."""
    comes = np.flatnonzero(np.isfinite(begin) & ~once)
    order = comes[np.argsort(begin[comes], kind="stable")]
    gap = np.diff(begin[order])
    ahead = np.append(gap, gap[-1:])
    behind = np.append(gap[:1], gap)
    room = np.zeros(len(begin))
    if len(gap):
        room[order] = np.minimum(ahead, behind)
    of = np.repeat(np.arange(len(begin)), copies)
    number = np.arange(len(of)) - np.repeat(np.cumsum(copies) - copies, copies)
    drawn = np.where(number > 0, random.random(len(of)), 0.0)
    # Whole ns: the engine's arithmetic is exact for them.
    return np.asarray(np.rint(drawn * room[of]))


def _repeat(workload: Workload, copies: IntArray, mark_copies: IntArray) -> Workload:
    """Each item as often as `copies` says, its programs aiming at its own copies of items and marks."""
    program = workload.program
    origin = np.repeat(np.arange(workload.count), copies)
    item_at = np.cumsum(copies) - copies
    mark_at = np.cumsum(mark_copies) - mark_copies
    number = np.arange(len(origin)) - item_at[origin]
    length = np.diff(program.first)[origin]
    first = np.concatenate(([0], np.cumsum(length))).astype(np.int64)
    row = np.arange(first[-1]) - np.repeat(first[:-1], length) + np.repeat(program.first[origin], length)
    op = program.op[row]
    target = program.target[row].astype(np.int64)
    copy = np.repeat(number, length)
    to_item = np.isin(op, Op.TO_ITEM)
    to_mark = np.isin(op, Op.TO_MARK) & (target >= 0)
    aimed = target.copy()
    aimed[to_item] = item_at[target[to_item]] + copy[to_item]
    aimed[to_mark] = mark_at[target[to_mark]] + copy[to_mark]
    return Workload(
        arrival=workload.arrival[origin],
        rank=workload.rank[origin],
        program=Program(first, op, program.value[row], aimed),
        marks=int(mark_copies.sum()),
        locks=workload.locks,
    )
