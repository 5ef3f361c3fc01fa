"""Finds the outside events that items waited for: the data that arrived, the execution that asked for it, and the items
that an answer, a new connection or the end of a delay brought or released.

The network and the other end take the same time from question to answer in every world. A request that a starved
process sent late is answered earlier in the world in which it is sent earlier.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from poolscope.attribution.causes.awaited import Awaited
from poolscope.attribution.causes.origins import OUTSIDE
from poolscope.attribution.causes.relays import Fired, Relays
from poolscope.attribution.causes.socket_io import CONNECTED, NEVER, SocketIo, without_sockets
from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.lookup import ends, first_after, latest, ordered
from poolscope.executions.items import Items
from poolscope.executions.segments import Executions


@dataclass(frozen=True)
class Touches:
    """The moments at which items used data that had arrived, shape (touches,). Times are ns from the start of the
    window."""

    item: IntArray
    time: IntArray
    came: IntArray
    """When the data arrived; -1: not seen."""
    asked_by: IntArray
    """The execution that asked for the data; OUTSIDE: none, or unknown."""
    asked: IntArray
    """When it asked; -1: not known."""
    socket: IntArray
    """`sockets.id` of the connection that was read; -1: the event is the connection itself, or the end of a delay."""


@dataclass(frozen=True)
class Wire:
    """The arrival of data for each item, shape (items,). Times are ns from the start of the window."""

    came: IntArray
    """When the first data arrived that a relay handed on with the item; -1: no relay did, or unknown."""
    asked_by: IntArray
    """The execution whose question or connection attempt the data answers; OUTSIDE: none, or unknown."""
    asked: IntArray
    """When that execution asked; -1: not known."""
    socket: IntArray
    """The connection that the data came over, as in Touches; -1: also if unknown."""
    floor: IntArray
    """When the last outside data arrived that the item itself read and that was there when the item was queued; -1:
    none."""
    reads: Touches
    """One row for every row of Reads and for every delay that ended."""

    @staticmethod
    def silent(count: int) -> Wire:
        """Returns a wire without any event, for captures without sockets."""
        nothing = np.zeros(0, dtype=np.int64)
        touches = Touches(nothing, nothing, nothing, nothing, nothing, nothing)
        never = np.full(count, NEVER)
        return Wire(never.copy(), np.full(count, OUTSIDE), never.copy(), never.copy(), never.copy(), touches)


def find_wire(items: Items, parent: IntArray, relays: Relays, io: SocketIo | None, fired: Fired) -> Wire:
    """Finds when the data of each handed-on item arrived. The item's first read shows it, or the first read of items
    that it queued, or the first use of a connection that the target had asked for. Without any of these, the last data
    that the relay read before it handed the item on counts. The end of a delay is an answer like any other."""
    wire = Wire.silent(items.count)
    io = without_sockets() if io is None else io
    if not (relays.root >= 0).any():
        return wire
    reads = _reads(io)
    handed, read = _read_before(items, relays, reads)
    _from_outside(wire, items, io, read)
    wire = replace(wire, reads=_together(reads, _delays(fired)))
    touches = _together(wire.reads, _connects(io))
    owner = _handed_on(items, parent, relays)
    own = (touches.item >= 0) & (touches.item < items.count) & (touches.came >= 0)
    to = np.where(own, owner[np.where(own, touches.item, 0)], -1)
    rows = np.flatnonzero(to >= 0)
    rows = rows[touches.came[rows] <= items.enqueue[to[rows]]]  # otherwise the item was not handed on for this data
    rows = rows[ordered(to[rows], touches.time[rows])]
    first = rows[np.append(True, to[rows][1:] != to[rows][:-1])] if len(rows) else rows
    _fill_in(wire, to[first], touches, first)
    unread = wire.came[handed] < 0
    _fill_in(wire, handed[unread], wire.reads, read[unread])
    return wire


def _fill_in(wire: Wire, item: IntArray, touches: Touches, row: IntArray) -> None:
    wire.came[item] = touches.came[row]
    wire.asked_by[item], wire.asked[item] = touches.asked_by[row], touches.asked[row]
    wire.socket[item] = touches.socket[row]


def _read_before(items: Items, relays: Relays, reads: Touches) -> tuple[IntArray, IntArray]:
    """Returns the items that a relay handed on after it had read something itself, and the read of each. The read must
    come after the relay handed on the previous item. A relay's own request stays with the relay."""
    handed = np.flatnonzero(relays.by >= 0)
    handed = handed[ordered(relays.by[handed], items.enqueue[handed])]
    by, time = relays.by[handed], items.enqueue[handed]
    since = np.full(len(handed), NEVER)
    since[1:] = np.where(by[1:] == by[:-1], time[:-1], NEVER)
    read, some = latest(reads.item, reads.time, by, time)
    if not some.any():
        return handed[some], read[some]
    some &= (reads.time[read] > since) & (reads.came[read] >= 0) & (reads.asked_by[read] != by)
    return handed[some], read[some]


def _from_outside(wire: Wire, items: Items, io: SocketIo, handed_on: IntArray) -> None:
    """Fills in `floor`. `handed_on`: reads for which an item was handed on; that item waits for them itself."""
    reads = io.reads
    item = reads.item
    own = (item >= 0) & (item < items.count) & (io.role[reads.socket] != CONNECTED) & (reads.arrived >= 0)
    own[handed_on] = False
    rows = np.flatnonzero(own)
    rows = rows[reads.arrived[rows] <= items.enqueue[item[rows]]]
    np.maximum.at(wire.floor, item[rows], reads.arrived[rows])


def _handed_on(items: Items, parent: IntArray, relays: Relays) -> IntArray:
    """Returns for each item the nearest item that a relay handed on: itself, or an item in the chain that queued it; -1
    if the chain has no such item."""
    stops = (relays.by >= 0) | (relays.root >= 0)
    queued_by = np.where((parent >= 0) & (parent < items.count), parent, -1)
    at = ends(np.where(stops | (queued_by < 0), np.arange(items.count), queued_by))
    return np.where(relays.by[at] >= 0, at, -1)


def _reads(io: SocketIo) -> Touches:
    """Returns the reads of answers and of everything else. An answer is the first data after the question and after the
    previous read."""
    reads = io.reads
    order = ordered(reads.socket, reads.time)
    before, again = latest(reads.socket[order], reads.time[order], reads.socket, reads.time - 1)
    previous = np.where(again, reads.time[order][before], NEVER)
    by_socket = ordered(io.arrival_socket, io.arrival_time)
    since = np.maximum(reads.sent, previous)
    at, some = first_after(io.arrival_socket[by_socket], io.arrival_time[by_socket], reads.socket, since)
    first = io.arrival_time[by_socket][at] if len(by_socket) else reads.arrived
    came = np.where(some & (first <= reads.arrived), first, reads.arrived)
    asks = (io.role[reads.socket] == CONNECTED) & _one_at_a_time(io)[reads.socket] & (reads.sender >= 0)
    asks &= (reads.sent >= 0) & (reads.sent <= came)
    return Touches(
        reads.item,
        reads.time,
        came,
        np.where(asks, reads.sender, OUTSIDE),
        np.where(asks, reads.sent, NEVER),
        reads.socket,
    )


def _together(*parts: Touches) -> Touches:
    names = [field.name for field in fields(Touches)]
    return Touches(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _delays(fired: Fired) -> Touches:
    over = np.full(len(fired.item), -1, dtype=np.int64)
    return Touches(fired.item, fired.time, fired.due, fired.asked_by, fired.asked, over)


def _connects(io: SocketIo) -> Touches:
    """Returns the first use of each connection that the target asked for."""
    sockets = np.concatenate((io.sends.socket, io.reads.socket))
    times = np.concatenate((io.sends.time, io.reads.time))
    users = np.concatenate((io.sends.item, io.reads.item))
    order = ordered(sockets, times)
    asked = io.connects
    at, some = first_after(sockets[order], times[order], asked.socket, asked.connected - 1)
    known = some & (asked.connected >= 0)
    use = order[at[known]]
    return Touches(
        users[use],
        times[use],
        asked.connected[known],
        asked.item[known],
        np.where(asked.item >= 0, asked.time, -1)[known],
        np.full(int(known.sum()), -1),
    )


def _one_at_a_time(io: SocketIo) -> BoolArray:
    """Returns for each socket whether only one item sent between two arrivals. If requests share a connection, the
    capture does not show which request an answer belongs to. A connection whose requests seem to alternate may be
    shared at another time."""
    sends = io.sends
    result = np.ones(len(io.role), dtype=bool)
    if len(sends.time) == 0:
        return result
    order = ordered(io.arrival_socket, io.arrival_time)
    at, some = latest(io.arrival_socket[order], io.arrival_time[order], sends.socket, sends.time)
    since = np.where(some, io.arrival_time[order][at] if len(order) else 0, NEVER)
    same = (sends.socket[1:] == sends.socket[:-1]) & (since[1:] == since[:-1]) & (sends.item[1:] != sends.item[:-1])
    result[sends.socket[1:][same]] = False
    return result


@dataclass(frozen=True)
class Answers:
    """Answers to executions, shape (answers,). Times are ns from the start of the window."""

    to: IntArray
    """What the answer brings or ends: an item that a relay hands on, the engine's item (the first answer brings it), or
    a wait (a row of Awaited)."""
    asked_by: IntArray
    """Index into Executions."""
    asked: IntArray
    """When the execution asked, within the execution."""
    took: IntArray
    """The time from `asked` to the answer, ns >= 0."""
    socket: IntArray
    """`sockets.id` of the connection that the answer came over; -1: the answer is the connection itself, or the end of
    a delay."""

    def without(self, items: IntArray) -> Answers:
        """Returns the answers for other items."""
        return self.where(~np.isin(self.to, items))

    def where(self, chosen: BoolArray) -> Answers:
        return Answers(*(getattr(self, field.name)[chosen] for field in fields(self)))


def bringing(items: Items, executions: Executions, relays: Relays, wire: Wire) -> Answers:
    """Returns the answers that bring each handed-on item, and the answers that bring the engine. The engine's item
    comes with the first of the answers that its items handed on or used themselves."""
    handed = np.flatnonzero((wire.asked_by >= 0) & (wire.asked_by != np.arange(items.count)))
    took_up = np.flatnonzero((wire.reads.asked_by >= 0) & (_root(relays, wire.reads.item) >= 0))
    engine = np.concatenate((relays.root[relays.by[handed]], _root(relays, wire.reads.item)[took_up]))
    by = np.concatenate((wire.asked_by[handed], wire.reads.asked_by[took_up]))
    asked = np.concatenate((wire.asked[handed], wire.reads.asked[took_up]))
    came = np.concatenate((wire.came[handed], wire.reads.came[took_up]))
    # Data that arrived before the engine was queued caused the engine to be queued.
    return _answers(
        executions,
        np.concatenate((handed, engine)),
        np.concatenate((wire.asked_by[handed], by)),
        np.concatenate((wire.asked[handed], asked)),
        np.concatenate((wire.came[handed], np.maximum(came, items.enqueue[engine]))),
        np.concatenate((wire.socket[handed], wire.socket[handed], wire.reads.socket[took_up])),
    )


def ending(executions: Executions, relays: Relays, wire: Wire, awaited: Awaited) -> Answers:
    """Returns the waits that an answer ended and the answer of each. The engine's own item must have taken the answer
    up: it is the last data that the item read."""
    row, some = latest(wire.reads.item, wire.reads.time, awaited.cause, awaited.time)
    some &= _root(relays, awaited.cause) >= 0
    rows = np.flatnonzero(some)
    read = row[rows]
    told = (wire.reads.asked_by[read] >= 0) & (wire.reads.asked_by[read] != awaited.cause[rows])
    rows, read = rows[told], read[told]
    reads = wire.reads
    return _answers(executions, rows, reads.asked_by[read], reads.asked[read], reads.came[read], reads.socket[read])


def _root(relays: Relays, execution: IntArray) -> IntArray:
    """Returns the engine's item that led to each execution; -1: the execution is no relay."""
    count = len(relays.root)
    item = (execution >= 0) & (execution < count)
    return np.where(item, relays.root[np.where(item, execution, 0)], -1) if count else np.full(len(execution), -1)


def _answers(
    executions: Executions, to: IntArray, by: IntArray, asked: IntArray, came: IntArray, socket: IntArray
) -> Answers:
    asked = np.clip(asked, executions.start[by], executions.end[by])
    return Answers(to, by, asked, np.maximum(came - asked, 0), socket)
