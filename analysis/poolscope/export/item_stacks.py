"""What each work item is called by, and who queued it: the frames under which PerfView shows its wait.

No event names the method of a work item. It is told by the stacks that were seen while it ran (samples, waits,
snapshots): of the first of them the user's method nearest to the thread's start, which is what the pool called.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.arrays import IntArray
from poolscope.attribution.items import Items
from poolscope.capture import Capture
from poolscope.cpu.frames import CpuFrame, stack_paths
from poolscope.lookup import latest

EVIDENCE = {"waits": "start", "snapshots": "time", "cpu_samples": "time"}
"""Tables with stacks of a thread (`tid`, `stack`), and their column of time."""
QUEUERS = 3
"""Methods told of the chain that queued an item: an item that queues itself again and again has no end of them."""


@dataclass(frozen=True)
class ItemMethods:
    """Of each item its method and those that queued it."""

    methods: list[CpuFrame]
    """Each once."""
    chain: IntArray
    """Shape (items, QUEUERS + 1): indexes into `methods`, the item's own last; -1: not known, or none. Of queuers only
    those are told that differ from what they queued."""

    @property
    def known(self) -> int:
        """Items whose own method is known."""
        return int((self.chain[:, -1] >= 0).sum())


def item_methods(capture: Capture, items: Items) -> ItemMethods:
    """By rows of `items`."""
    methods, own = _own(capture, items)
    parents = capture.table("work_items")["parent"].to_numpy()[items.row]
    # Items that a waiting thread ran inline take no part: what they queue has no known queuer.
    at = np.searchsorted(items.row, parents)
    inside = np.minimum(at, max(items.count - 1, 0))
    parent = np.where((parents >= 0) & (items.row[inside] == parents), inside, -1) if items.count else at
    chain = np.full((items.count, QUEUERS + 1), -1, dtype=np.int64)
    chain[:, -1] = own
    told, ancestor = own.copy(), parent.copy()
    for level in range(QUEUERS - 1, -1, -1):
        method = np.where(ancestor >= 0, own[ancestor], -1)
        new = (method >= 0) & (method != told)
        chain[new, level] = method[new]
        told = np.where(new, method, told)
        ancestor = np.where(ancestor >= 0, parent[ancestor], -1)
    return ItemMethods(methods, chain)


def entry(path: list[CpuFrame]) -> CpuFrame | None:
    """What the pool called, of a stack from the thread's start to its leaf: its first method of the user's, else the
    first one outside of System.Threading. None: no method of it has a name."""
    managed = [frame for frame in path if frame.kind == "managed" and frame.method is not None]
    outside = (f for f in managed if not str(f.method).startswith("System.Threading."))
    return next((f for f in managed if f.user), next(outside, None))


def _own(capture: Capture, items: Items) -> tuple[list[CpuFrame], IntArray]:
    """The methods, and for each item the index of its own; -1: no stack tells."""
    own = np.full(items.count, -1, dtype=np.int64)
    if items.count == 0 or not all(capture.has(t) for t in ("stacks", "frames")):
        return [], own
    tid, time, stack = _evidence(capture)
    ran = np.flatnonzero(items.started)
    at, same = latest(items.worker[ran], items.dequeue[ran], tid, time)
    inside = same & (time < items.end[ran[at]]) if len(ran) else same
    item, time, stack = ran[at[inside]] if len(ran) else at[inside], time[inside], stack[inside]

    unique, which = np.unique(stack, return_inverse=True)
    methods: dict[CpuFrame, int] = {}
    of_stack = np.full(len(unique), -1, dtype=np.int64)
    for number, path in enumerate(stack_paths(capture, unique.tolist())):
        found = entry([frame for frame, _ in path])
        if found is not None:
            of_stack[number] = methods.setdefault(found, len(methods))
    method = of_stack[which]
    told = method >= 0
    order = np.lexsort((time[told], item[told]))
    tells, first = np.unique(item[told][order], return_index=True)
    own[tells] = method[told][order][first]
    return list(methods), own


def _evidence(capture: Capture) -> tuple[IntArray, IntArray, IntArray]:
    """Thread, time (ns from the start of the window) and stack of everything that has a stack."""
    base = capture.window[0]
    columns: list[list[IntArray]] = [[], [], []]
    for table, when in EVIDENCE.items():
        if not capture.has(table):
            continue
        rows = capture.table(table)
        known = rows["stack"].to_numpy() >= 0
        for column, name in zip(columns, ("tid", when, "stack"), strict=True):
            column.append(rows[name].to_numpy()[known].astype(np.int64))
    if not columns[0]:
        none = np.zeros(0, dtype=np.int64)
        return none, none, none
    tid, time, stack = (np.concatenate(column) for column in columns)
    return tid, time - base, stack
