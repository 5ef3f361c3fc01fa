"""What came because an item had asked for it, an answer, a connection or the end of a delay, and what it brought or let go on.

From the question to its answer takes the time of the network and of the other end, the same in every world. A request that
a starved process sent late is answered earlier in the world in which it is sent earlier.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from poolscope.attribution.causes.awaited import Awaited
from poolscope.attribution.causes.relays import Relays
from poolscope.attribution.causes.wire import Wire
from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.lookup import latest
from poolscope.executions.items import Items
from poolscope.executions.segments import Executions


@dataclass(frozen=True)
class Answers:
    """Shape (answers,)."""

    to: IntArray
    """What each brings: an item that a relay hands on, or the engine's item, which the first answer brings; or which wait it
    ends, a row of Awaited."""
    asked_by: IntArray
    """Index into Executions."""
    asked: IntArray
    """When it asked, ns from the start of the window; within its execution."""
    took: IntArray
    """From then to the answer, ns >= 0."""
    socket: IntArray
    """`sockets.id` of the connection over which it came; -1: it is the connection itself, or a delay that is over."""

    def without(self, items: IntArray) -> Answers:
        """Returns those of other items."""
        return self.where(~np.isin(self.to, items))

    def where(self, chosen: BoolArray) -> Answers:
        return Answers(*(getattr(self, field.name)[chosen] for field in fields(self)))


def bringing(items: Items, executions: Executions, relays: Relays, wire: Wire) -> Answers:
    """Returns what brings each item handed on for an answer, and what brings the engine: whichever answer comes first of those that
    its items handed on, or took up themselves."""
    handed = np.flatnonzero((wire.asked_by >= 0) & (wire.asked_by != np.arange(items.count)))
    took_up = np.flatnonzero((wire.reads.asked_by >= 0) & (_root(relays, wire.reads.item) >= 0))
    engine = np.concatenate((relays.root[relays.by[handed]], _root(relays, wire.reads.item)[took_up]))
    by = np.concatenate((wire.asked_by[handed], wire.reads.asked_by[took_up]))
    asked = np.concatenate((wire.asked[handed], wire.reads.asked[took_up]))
    came = np.concatenate((wire.came[handed], wire.reads.came[took_up]))
    # What had come before the engine was queued led to that.
    return _answers(
        executions,
        np.concatenate((handed, engine)),
        np.concatenate((wire.asked_by[handed], by)),
        np.concatenate((wire.asked[handed], asked)),
        np.concatenate((wire.came[handed], np.maximum(came, items.enqueue[engine]))),
        np.concatenate((wire.socket[handed], wire.socket[handed], wire.reads.socket[took_up])),
    )


def ending(executions: Executions, relays: Relays, wire: Wire, awaited: Awaited) -> Answers:
    """Returns which waits an answer ended that the engine's own item took up: by what that had last read."""
    row, some = latest(wire.reads.item, wire.reads.time, awaited.cause, awaited.time)
    some &= _root(relays, awaited.cause) >= 0
    rows = np.flatnonzero(some)
    read = row[rows]
    told = (wire.reads.asked_by[read] >= 0) & (wire.reads.asked_by[read] != awaited.cause[rows])
    rows, read = rows[told], read[told]
    reads = wire.reads
    return _answers(executions, rows, reads.asked_by[read], reads.asked[read], reads.came[read], reads.socket[read])


def _root(relays: Relays, execution: IntArray) -> IntArray:
    """Returns the engine's item that led to each execution; -1: it is no relay."""
    count = len(relays.root)
    item = (execution >= 0) & (execution < count)
    return np.where(item, relays.root[np.where(item, execution, 0)], -1) if count else np.full(len(execution), -1)


def _answers(
    executions: Executions, to: IntArray, by: IntArray, asked: IntArray, came: IntArray, socket: IntArray
) -> Answers:
    asked = np.clip(asked, executions.start[by], executions.end[by])
    return Answers(to, by, asked, np.maximum(came - asked, 0), socket)
