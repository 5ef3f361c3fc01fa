"""The same work at another rate: arrivals thinned or repeated.

Items that enqueue or wake one another form a group, which is kept, repeated or dropped as a whole. The runtime's items
that hand on data for many others join no group. Each of them exists once, and hands on as many copies as there are. All
copies share the locks, as more of the same requests would.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from poolscope.base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from poolscope.base.lookup import ends, ordered
from poolscope.base.stages import Results
from poolscope.replay.workload import Op, Program, Workload
from poolscope.whatif.chance import draw_copies, draw_shifts


def groups(workload: Workload) -> tuple[IntArray, IntArray]:
    """Returns the group of each item, and of each mark. An item is joined with the items that it enqueues, and with the
    marks that it fires or waits for. Shared items join no groups."""
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
    """Assigns shared items that touch only one group to that group, such as the engine's item that brings one answer
    and continues with its request. They can then arrive by themselves."""
    if workload.shared is None:
        return workload
    items = workload.count
    group = np.concatenate(groups(workload))
    shared = np.append(workload.shared, np.zeros(workload.marks, dtype=bool))
    one, other = _ties(workload)
    item = np.concatenate((one, other))
    touched = np.concatenate((other, one))
    some = shared[item] & ~shared[touched]
    of = int(group.max(initial=0)) + 1
    pairs = np.unique(item[some] * of + group[touched[some]])
    touches = np.bincount(pairs // of, minlength=items)[:items]
    return replace(workload, shared=workload.shared & ~((touches == 1) & np.isfinite(workload.arrival)))


def _ties(workload: Workload) -> tuple[IntArray, IntArray]:
    """Returns both ends of each tie between items, and between items and marks. Marks are numbered from
    `workload.count` on."""
    program = workload.program
    owner = np.repeat(np.arange(workload.count), np.diff(program.first))
    enqueues = program.does(Op.TO_ITEM)
    marked = program.does(Op.TO_MARK)
    one = np.concatenate((owner[enqueues], owner[marked]))
    other = np.concatenate((program.target[enqueues], program.target[marked] + workload.count))
    return one, other


@dataclass(frozen=True)
class Loaded:
    """A workload at another rate."""

    workload: Workload
    origin: IntArray
    """int32 for copies, shape (items,): the item of the captured workload that each item is, or is a copy of."""
    largest_group: float
    """The share of the items in the largest group, which is kept or repeated as one."""


@dataclass(frozen=True)
class Groups:
    """A workload by groups, the same for every load and every draw."""

    workload: Workload
    group: IntArray
    """Shape (items,)."""
    mark_group: IntArray
    """Shape (marks,)."""
    largest: int
    """The number of items of the largest group."""
    once: BoolArray
    """Shape (groups,): whether the group exists once, whatever the load. A mark that no item touches is a group without
    items, and does."""
    begin: FloatArray
    """The arrival of the first item of each group, shape (groups,)."""
    _same: Results = field(default_factory=Results)

    @staticmethod
    def of(workload: Workload, kept: IntArray | None = None) -> Groups:
        """Groups the items of a workload. `kept` are items that exist once whatever the load, with everything that they
        touch."""
        workload = without_exclusive(workload)
        group, mark_group = groups(workload)
        size = np.bincount(group, minlength=int(mark_group.max(initial=-1)) + 1)
        once = size == 0
        if kept is not None:
            once[group[kept]] = True
        if workload.shared is not None:
            once[group[workload.shared]] = True
        return Groups(workload, group, mark_group, int(size.max()), once, _begin(earliest(workload), group, len(size)))

    def at_load(self, load: float, seed: int) -> Loaded:
        """Returns the workload with `load` times the arrivals.

        A copy arrives at most as long after its original as the next group does, and at most as long as the gap to the
        previous one. So a burst stays a burst, and a steady stream a steady one.
        """
        random = np.random.default_rng(seed)
        copies_of_group = draw_copies(self.begin, self.once, load, random)
        # With a whole number of copies, chance only decides the arrivals.
        made = self._same.of(load, lambda: self._repeated(copies_of_group)) if load % 1 == 0 else None
        made = made or self._repeated(copies_of_group)
        later = draw_shifts(self.begin, copies_of_group, self.once, random)[made.copy]
        arrival = made.workload.arrival + later
        arrival[made.lost] = made.comes
        workload = made.workload.arriving(arrival, not_before_later(made.workload.program, later))
        return Loaded(workload, made.origin, self.largest / self.workload.count)

    def _repeated(self, copies_of_group: IntArray) -> Repeated:
        """Repeats each group as often as `copies_of_group` says, shape (groups,)."""
        workload, group = self.workload, self.group
        copies = copies_of_group[group]
        first = np.cumsum(copies) - copies
        origin, number = copied(copies)
        repeated = repeat(workload, origin, number, copies, copies_of_group[self.mark_group])
        rank = np.empty(len(origin), dtype=np.int32)
        rank[ordered(repeated.rank, number)] = np.arange(len(origin), dtype=np.int32)
        # Items carried into the capture have negative ranks, before all that arrived in it.
        rank += min(workload.rank.min(), 0)
        lost, comes = np.zeros(0, dtype=np.int64), np.zeros(0)
        if workload.shared is not None:
            lost, comes = _orphans(workload, workload.shared, copies)
        first_of_group = (np.cumsum(copies_of_group) - copies_of_group).astype(np.int32)
        number += first_of_group[group[origin]]
        return Repeated(replace(repeated, rank=rank), origin, number, first[lost], comes)


@dataclass(frozen=True)
class Repeated:
    """A workload whose copies arrive when their originals do."""

    workload: Workload
    origin: IntArray
    """As in Loaded."""
    copy: IntArray
    """int32, shape (items,): the copy of its group that each item belongs to. All copies of all groups are numbered."""
    lost: IntArray
    """The shared items that only dropped items would have brought."""
    comes: FloatArray
    """When each of these arrives instead, ns."""


def unchanged(workload: Workload) -> Loaded:
    """Returns the workload at its own rate."""
    return Loaded(workload, np.arange(workload.count, dtype=np.int64), 0.0)


def not_before_later(program: Program, later: FloatArray) -> Program:
    """Returns the program in which the earliest arrival of an item moves with its group. `later` is ns, shape
    (items,)."""
    limited = np.flatnonzero((program.op == Op.ENQUEUE) & (program.value > 0))
    if len(limited) == 0:
        return program
    value = program.value.copy()
    value[limited] += later[program.target[limited]]
    return replace(program, value=value)


def earliest(workload: Workload) -> FloatArray:
    """Returns when each item arrives by itself, or because a shared item hands on data from outside. inf if other items
    bring it."""
    comes = workload.arrival.copy()
    if workload.shared is not None:
        program = workload.program
        owner = np.repeat(np.arange(workload.count), np.diff(program.first))
        told = (program.op == Op.ENQUEUE) & (program.value > 0) & workload.shared[owner]
        np.minimum.at(comes, program.target[told], program.value[told])
    return comes


def _orphans(workload: Workload, shared: BoolArray, copies: IntArray) -> tuple[IntArray, FloatArray]:
    """Returns the shared items that only dropped items would have brought, and when the first item that led to them
    arrived."""
    program, count = workload.program, workload.count
    owner = np.repeat(np.arange(count), np.diff(program.first))
    brings = program.does(Op.TO_ITEM)
    brought = np.zeros(count, dtype=bool)
    brought[program.target[brings & (copies[owner] > 0)]] = True
    lost = np.flatnonzero(shared & np.isinf(workload.arrival) & ~brought)
    comes = earliest(workload)
    by = np.arange(count)
    queues = program.op == Op.ENQUEUE
    by[program.target[queues]] = owner[queues]
    led_by = ends(np.where(np.isfinite(comes), np.arange(count), by))
    return lost, comes[led_by[lost]]


def _begin(arrival: FloatArray, group: IntArray, count: int) -> FloatArray:
    """Returns when the first item of each group arrives; inf for marks that no item touches."""
    begin = np.full(count, np.inf)
    np.minimum.at(begin, group, arrival)
    return begin


def copied(copies: IntArray) -> tuple[AnyArray, AnyArray]:
    """Returns the item that each item of the result is a copy of, and its number among the copies of that item, from 0
    on. Both are int32."""
    origin = np.repeat(np.arange(len(copies), dtype=np.int32), copies)
    number = np.arange(len(origin), dtype=np.int32)
    number -= (np.cumsum(copies) - copies)[origin]
    return origin, number


def repeat(workload: Workload, origin: AnyArray, number: AnyArray, copies: IntArray, mark_copies: IntArray) -> Workload:
    """Returns each item as often as `copies` says. Its program targets its own copies of items and marks; a shared
    item's program targets every copy.

    `copies`, shape (items,), is 1 for shared items. `mark_copies`, shape (marks,), is that of their group. `origin` and
    `number` are those of `copied`.
    """
    program, shared = workload.program, workload.shared
    to_item = program.does(Op.TO_ITEM)
    to_mark = program.does(Op.TO_MARK) & (program.target >= 0)
    length = np.diff(program.first)[origin]
    first = _begins(length)
    row = np.repeat((program.first[origin] - first[:-1]).astype(np.int32), length)
    row += np.arange(len(row), dtype=np.int32)
    del length
    again = np.zeros(0, dtype=np.int64)
    if shared is not None:
        times = np.ones(len(program.op), dtype=np.int64)
        times[to_item] = copies[program.target[to_item]]
        times[to_mark] = mark_copies[program.target[to_mark]]
        times[~np.repeat(shared, np.diff(program.first))] = 1
        times = times[row]
        begins = _begins(times)
        first, row = begins[first], np.repeat(row, times)
        again = np.arange(len(row)) - np.repeat(begins[:-1], times)
    target = program.target[row]
    aims = np.flatnonzero((to_item | to_mark)[row])
    if len(aims):
        owner = np.searchsorted(first, aims, side="right") - 1
        aimed, items, copy = target[aims], to_item[row[aims]], number[owner].astype(np.int64)
        if shared is not None:
            copy = np.where(shared[origin[owner]], again[aims], copy)
            copy[items] = np.where(shared[aimed[items]], 0, copy[items])
        item_at, mark_at = np.cumsum(copies) - copies, np.cumsum(mark_copies) - mark_copies
        copy[items] += item_at[aimed[items]]
        copy[~items] += mark_at[aimed[~items]]
        target[aims] = copy
    return Workload(
        arrival=workload.arrival[origin],
        rank=workload.rank[origin],
        program=Program(first, program.op[row], program.value[row], target),
        marks=int(mark_copies.sum()),
        locks=workload.locks,
        shared=None if shared is None else shared[origin],
        queue=None if workload.queue is None else workload.queue[origin],
        stand_ins=workload.stand_ins,
        first_come=workload.first_come,
    )


def _begins(length: IntArray) -> IntArray:
    """Returns where each run of these lengths begins, and after them where the last one ends."""
    begins = np.zeros(len(length) + 1, dtype=np.int64)
    np.cumsum(length, out=begins[1:])
    return begins
