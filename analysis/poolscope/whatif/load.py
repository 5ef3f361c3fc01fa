"""The same work at another rate: arrivals thinned or repeated.

Items that enqueue or wake one another form a group, which is kept, repeated or dropped as a whole. The runtime's items
that hand on data for many others join no group. Each of them exists once, and hands on as many copies as there are. All
copies share the locks, as more of the same requests would.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.base.lookup import ends
from poolscope.replay.workload import Op, Program, Workload


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


BLOCK = 16
"""The number of groups, in order of arrival, among which chance decides the repeated (or dropped) ones.

Each block repeats the number that the load requires, so that the rate over time keeps its shape. Groups are drawn at
random, so that no rhythm of the arrivals is selected.
"""


@dataclass(frozen=True)
class Loaded:
    """A workload at another rate."""

    workload: Workload
    origin: IntArray
    """Shape (items,): the item of the captured workload that each item is, or is a copy of."""
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
    size: IntArray
    """The number of items of each group, shape (groups,). A mark that no item touches is a group without items."""
    once: BoolArray
    """Shape (groups,): whether the group exists once, whatever the load."""
    begin: FloatArray
    """The arrival of the first item of each group, shape (groups,)."""

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
        return Groups(workload, group, mark_group, size, once, _begin(earliest(workload), group, len(size)))

    def at_load(self, load: float, seed: int) -> Loaded:
        """Returns the workload with `load` times the arrivals.

        A copy arrives at most as long after its original as the next group does, and at most as long as the gap to the
        previous one. So a burst stays a burst, and a steady stream a steady one.
        """
        workload, group = self.workload, self.group
        random = np.random.default_rng(seed)
        copies_of_group = _copies(self.begin, self.once, load, random)
        copies = copies_of_group[group]
        repeated = repeat(workload, copies, copies_of_group[self.mark_group])
        shift = _shift(self.begin, copies_of_group, self.once, random)
        origin = np.repeat(np.arange(workload.count), copies)
        number = np.arange(len(origin)) - np.repeat(np.cumsum(copies) - copies, copies)
        first_shift = np.cumsum(copies_of_group) - copies_of_group
        later = shift[first_shift[group[origin]] + number]
        arrival = repeated.arrival + later
        if workload.shared is not None:
            lost, comes = _orphans(workload, workload.shared, copies)
            arrival[(np.cumsum(copies) - copies)[lost]] = comes
        rank = np.empty(len(origin), dtype=np.int64)
        rank[np.lexsort((number, workload.rank[origin]))] = np.arange(len(origin))
        # Items carried into the capture have negative ranks, before all that arrived in it.
        rank += int(min(workload.rank.min(), 0))
        program = not_before_later(repeated.program, later)
        made = replace(repeated, arrival=arrival, rank=rank, program=program)
        return Loaded(made, origin.astype(np.int64), float(self.size.max()) / workload.count)


def unchanged(workload: Workload) -> Loaded:
    """Returns the workload at its own rate."""
    return Loaded(workload, np.arange(workload.count, dtype=np.int64), 0.0)


def not_before_later(program: Program, later: FloatArray) -> Program:
    """Returns the program in which the earliest arrival of an item moves with its group. `later` is ns, shape
    (items,)."""
    limited = np.flatnonzero((program.op == Op.ENQUEUE) & (program.value > 0))
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


def _copies(begin: FloatArray, once: BoolArray, load: float, random: np.random.Generator) -> IntArray:
    """Returns how often each group exists: floor(load), and in each block once more for as many groups as its share
    requires."""
    copies = np.full(len(begin), int(np.floor(load)), dtype=np.int64)
    share = load - np.floor(load)
    drawn = np.flatnonzero(~once)
    drawn = drawn[np.argsort(begin[drawn], kind="stable")]
    at = np.append(np.arange(0, len(drawn), BLOCK), len(drawn))
    due = np.floor(share * at + random.random()).astype(np.int64)
    for low, high, extra in zip(at[:-1], at[1:], np.diff(due)):
        copies[random.choice(drawn[low:high], size=int(extra), replace=False)] += 1
    copies[once] = 1
    return copies


def _shift(begin: FloatArray, copies: IntArray, once: BoolArray, random: np.random.Generator) -> FloatArray:
    """Returns how much later than captured each copy of each group arrives, ns. The first copy arrives at its own
    time."""
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
    # Integer ns: the engine's arithmetic is exact for them.
    return np.asarray(np.rint(drawn * room[of]))


def repeat(workload: Workload, copies: IntArray, mark_copies: IntArray) -> Workload:
    """Returns each item as often as `copies` says. Its program targets its own copies of items and marks; a shared
    item's program targets every copy.

    `copies`, shape (items,), is 1 for shared items. `mark_copies`, shape (marks,), is that of their group.
    """
    program = workload.program
    origin = np.repeat(np.arange(workload.count), copies)
    item_at = np.cumsum(copies) - copies
    mark_at = np.cumsum(mark_copies) - mark_copies
    number = np.arange(len(origin)) - item_at[origin]
    shared = np.zeros(workload.count, dtype=bool) if workload.shared is None else workload.shared
    to_item = program.does(Op.TO_ITEM)
    to_mark = program.does(Op.TO_MARK) & (program.target >= 0)
    aimed_at = np.ones(len(program.op), dtype=np.int64)
    aimed_at[to_item] = copies[program.target[to_item]]
    aimed_at[to_mark] = mark_copies[program.target[to_mark]]
    times = np.where(np.repeat(shared, np.diff(program.first)), aimed_at, 1)

    length = np.diff(program.first)[origin]
    before = np.cumsum(length) - length
    row = np.arange(int(length.sum())) - np.repeat(before, length) + np.repeat(program.first[origin], length)
    made_of = np.repeat(np.arange(len(origin)), length)
    again = times[row]
    first_again = np.cumsum(again) - again
    row, made_of = np.repeat(row, again), np.repeat(made_of, again)
    copy = np.where(shared[origin[made_of]], np.arange(len(row)) - np.repeat(first_again, again), number[made_of])
    target = program.target[row].astype(np.int64)
    aimed = target.copy()
    items, marks = to_item[row], to_mark[row]
    aimed[items] = item_at[target[items]] + np.where(shared[target[items]], 0, copy[items])
    aimed[marks] = mark_at[target[marks]] + copy[marks]
    return Workload(
        arrival=workload.arrival[origin],
        rank=workload.rank[origin],
        program=Program(
            np.searchsorted(made_of, np.arange(len(origin) + 1)).astype(np.int64),
            program.op[row],
            program.value[row],
            aimed,
        ),
        marks=int(mark_copies.sum()),
        locks=workload.locks,
        shared=None if workload.shared is None else shared[origin],
        queue=None if workload.queue is None else workload.queue[origin],
        stand_ins=workload.stand_ins,
        first_come=workload.first_come,
    )
