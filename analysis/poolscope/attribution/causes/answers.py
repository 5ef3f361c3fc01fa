"""What items waited for from outside: what came over the wire and who had asked for it, and what an answer, a connection or the
end of a delay brought or let go on.

From the question to its answer takes the time of the network and of the other end, the same in every world. A request that
a starved process sent late is answered earlier in the world in which it is sent earlier.
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
    """What items did with what had come, shape (touches,). Times are ns from the start of the window."""

    item: IntArray
    time: IntArray
    came: IntArray
    """-1: not seen."""
    asked_by: IntArray
    """The execution that had asked for it; OUTSIDE: none, or unknown."""
    asked: IntArray
    """When that was; -1: not known."""
    socket: IntArray
    """`sockets.id` of what was read from; -1: what came is the connection itself, or a delay that was over."""


@dataclass(frozen=True)
class Wire:
    """Per item, shape (items,). Times are ns from the start of the window."""

    came: IntArray
    """When the first thing came that a relay handed on with it; -1: no relay did, or unknown."""
    asked_by: IntArray
    """The execution whose question or attempt to connect that answers; OUTSIDE: none, or unknown."""
    asked: IntArray
    """When that was asked; -1: not known."""
    socket: IntArray
    """Over which connection it came, as in Touches; -1, too, if unknown."""
    floor: IntArray
    """When the last thing had come from outside that the item read for itself and that was there when it was queued; -1:
    nothing."""
    reads: Touches
    """For every row of Reads, and of every delay that was over."""

    @staticmethod
    def silent(count: int) -> Wire:
        """Returns a wire without any event, for captures without sockets."""
        nothing = np.zeros(0, dtype=np.int64)
        touches = Touches(nothing, nothing, nothing, nothing, nothing, nothing)
        never = np.full(count, NEVER)
        return Wire(never.copy(), np.full(count, OUTSIDE), never.copy(), never.copy(), never.copy(), touches)


def find_wire(items: Items, parent: IntArray, relays: Relays, io: SocketIo | None, fired: Fired) -> Wire:
    """Finds when each handed-on item's data came: by its first read, or the first read of items that it queued, and by
    the first use of a connection that the target had asked for; else by what the relay had read last before it handed
    the item on. A delay that was over is an answer like any other."""
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
    rows = rows[touches.came[rows] <= items.enqueue[to[rows]]]  # else it is not what the item was handed on for
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
    """Returns the items that a relay handed on after it had read something itself, since it handed on the one before,
    and that read. A relay's own request stays with the relay."""
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
    """Fills in `floor`. `handed_on`: reads that an item was handed on for, which waits for them itself."""
    reads = io.reads
    item = reads.item
    own = (item >= 0) & (item < items.count) & (io.role[reads.socket] != CONNECTED) & (reads.arrived >= 0)
    own[handed_on] = False
    rows = np.flatnonzero(own)
    rows = rows[reads.arrived[rows] <= items.enqueue[item[rows]]]
    np.maximum.at(wire.floor, item[rows], reads.arrived[rows])


def _handed_on(items: Items, parent: IntArray, relays: Relays) -> IntArray:
    """Returns for each item itself, or the nearest of those that queued each other up to it, that a relay handed on; -1
    if there is none."""
    stops = (relays.by >= 0) | (relays.root >= 0)
    queued_by = np.where((parent >= 0) & (parent < items.count), parent, -1)
    at = ends(np.where(stops | (queued_by < 0), np.arange(items.count), queued_by))
    return np.where(relays.by[at] >= 0, at, -1)


def _reads(io: SocketIo) -> Touches:
    """Reads of answers and of everything else. An answer is what came first after the question, and after the read before."""
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
    """Returns for each socket whether only one item sent between two arrivals. If requests share a connection, it is
    unknown whose answer comes, and one that seems to alternate may share it at another time."""
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
