"""The frames under which PerfView shows the wait of a work item: its method, and the methods that queued it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.capture import DecodedCapture
from poolscope.executions.items import Items
from poolscope.executions.running_at_attach import find_carried
from poolscope.executions.segments import Executions
from poolscope.flames.frames import CpuFrame
from poolscope.product.item_methods import item_methods

QUEUERS = 3
"""How many methods of the chain that queued an item are kept: an item that requeues itself has an endless chain."""


@dataclass(frozen=True)
class ItemChains:
    """The method of each item, and the methods of the items that queued it."""

    methods: list[CpuFrame]
    """Each once."""
    chain: IntArray
    """Shape (items, QUEUERS + 1): indexes into `methods`, the item's own last; -1: not known, or none. Only queuers that differ from the queued item are named."""

    @property
    def known(self) -> int:
        """Items whose own method is known."""
        return int((self.chain[:, -1] >= 0).sum())


def item_chains(capture: DecodedCapture, items: Items) -> ItemChains:
    """Returns the chain of methods for each row of `items`."""
    methods, of_execution = item_methods(capture, Executions.of(items, find_carried(capture, items)))
    own = of_execution[: items.count]
    parent = _parents(capture, items)
    chain = np.full((items.count, QUEUERS + 1), -1, dtype=np.int64)
    chain[:, -1] = own
    told, ancestor = own, parent
    for level in range(QUEUERS - 1, -1, -1):
        method = np.where(ancestor >= 0, own[ancestor], -1)
        new = (method >= 0) & (method != told)
        chain[new, level] = method[new]
        told = np.where(new, method, told)
        ancestor = np.where(ancestor >= 0, parent[ancestor], -1)
    return ItemChains(methods, chain)


def _parents(capture: DecodedCapture, items: Items) -> IntArray:
    """Returns the item that queued each, as an index into Items; -1: none, or one that a waiting thread ran, which is not there."""
    if items.count == 0:
        return np.zeros(0, dtype=np.int64)
    rows = capture.table("work_items")["parent"].to_numpy()[items.row]
    at = np.minimum(np.searchsorted(items.row, rows), items.count - 1)
    return np.where((rows >= 0) & (items.row[at] == rows), at, -1)
