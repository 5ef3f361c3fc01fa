"""Loads the data that threads read from sockets and sent over them, and the items that did so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.causes.origins import GRACE_NS, OUTSIDE, running_item
from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.base.lookup import first_after, latest, ordered, running_totals
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.executions.segments import Executions


LEFT_READS = 8
"""The fewest reads that leave the same bytes unread and so show that these bytes were copies."""
LEFT_PROMPT = 0.1
"""Such a read waited for new data if it came soon after the data: within this share of the time since the previous read
during which no data had arrived."""


def arrived_once(socket: IntArray, time: IntArray, arrives: BoolArray, size: IntArray) -> IntArray:
    """Returns how many bytes had arrived on a row's connection up to it, without copies; shape (rows,).

    Rows are arrivals and reads, ordered by connection and time; `size`: bytes. A sender that gets no acknowledgement in
    time sends a segment again. From then on every read leaves as many bytes as the copy has. A reader that is behind
    also leaves some bytes. A reader whose reads wait for new data is not behind: it would have read any data that was
    there. The stream does not show which of the segments since the previous read was the copy. The first one is taken
    as the copy, so that a wait may be too short and is never too long.
    """
    came = running_totals(socket, np.where(arrives, size, 0))
    reads = np.flatnonzero(~arrives)
    if len(reads) == 0:
        return came
    count = int(socket.max()) + 1
    taken = running_totals(socket, np.where(arrives, 0, size))
    of, left = socket[reads], np.maximum(came - taken, 0)[reads]
    span = int(left.max()) + 1
    # The least that this read or a later one leaves.
    least = np.minimum.accumulate((left + of * span)[::-1])[::-1] - of * span
    at_last = np.zeros(count, dtype=np.int64)
    at_last[of] = least
    before = np.append(-1, reads[:-1])
    after_read = (before >= 0) & (socket[before] == of) & (reads > before + 1)
    first = np.where(after_read, before + 1, reads)
    prompt = after_read & (time[reads] - time[first] <= LEFT_PROMPT * (time[first] - time[before]))
    same = (least == at_last[of]) & (left == least) & (least > 0)
    times = np.bincount(of[same], minlength=count)
    shown = (times >= LEFT_READS) & (2 * np.bincount(of[same & prompt], minlength=count) >= times)
    if not shown.any():
        return came
    following = np.minimum(np.searchsorted(reads, np.arange(len(socket))), len(reads) - 1)
    copies = np.where(of[following] == socket, least[following], at_last[socket])
    # No more than arrived since the read before.
    span = int(came.max()) + 1
    once = np.maximum.accumulate(np.maximum(came - copies, 0) + socket * span) - socket * span
    return np.asarray(np.where(shown[socket], once, came))


DIRECTIONS = ("arrived", "read", "sent", "ended", "end_read", "connecting", "connected", "full")
ARRIVED, READ, SENT, ENDED, END_READ, ASKED_FOR, AGREED, FULL = (
    enum("socket_io", "direction", name) for name in DIRECTIONS
)
CONNECTED = enum("sockets", "role", "connected")
ACCEPTED = enum("sockets", "role", "accepted")

NEVER = -1
"""The value of a time that does not exist."""


@dataclass(frozen=True)
class Sends:
    """Every send, shape (sends,), by socket and time. Times are ns from the start of the window."""

    socket: IntArray
    time: IntArray
    item: IntArray
    """Index into Executions; OUTSIDE: a thread without an item."""


@dataclass(frozen=True)
class Reads:
    """Every read, shape (reads,), by item and time. A read that finds the other end closed counts, too. Times are ns
    from the start of the window."""

    item: IntArray
    """Index into Executions; OUTSIDE: a thread without an item."""
    time: IntArray
    socket: IntArray
    arrived: IntArray
    """When the latest data of the read arrived; NEVER: not seen."""
    early: BoolArray
    """Whether the data had arrived before the recording; `arrived` is then when the collector found it unread."""
    sent: IntArray
    """When data was last sent on the same socket before that; NEVER: none was."""
    sender: IntArray
    """The item that sent that data; OUTSIDE: none."""

    def last_up_to(self, item: IntArray, time: IntArray) -> tuple[IntArray, BoolArray]:
        """Returns the latest read of each item up to a time, and whether such a read exists."""
        return latest(self.item, self.time, item, time)


@dataclass(frozen=True)
class Connects:
    """Connections that the target asked for, shape (connects,). Times are ns from the start of the window."""

    socket: IntArray
    time: IntArray
    item: IntArray
    """The execution that asked, index into Executions; OUTSIDE: a thread without an item."""
    connected: IntArray
    """When the other end had accepted; NEVER: not seen."""


@dataclass(frozen=True)
class SocketIo:
    """The target's TCP connections, with the events that requests need."""

    role: IntArray
    """Per socket: enum sockets.role."""
    local: AnyArray
    """Per socket: address and port of the target's end, as text; None: not seen."""
    remote: AnyArray
    """Per socket: address and port of the other end, as text; None: not seen."""
    reads: Reads
    sends: Sends
    connects: Connects
    arrival_socket: IntArray
    """The socket of every data segment that arrived."""
    arrival_time: IntArray
    unread: IntArray
    """Per socket: when the collector found data in it that had arrived before the recording; NEVER: it found none."""


def without_sockets() -> SocketIo:
    """Returns socket events without any connection."""
    none, nobody = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=object)
    return SocketIo(
        none,
        nobody,
        nobody,
        Reads(none, none, none, none, none.astype(bool), none, none),
        Sends(none, none, none),
        Connects(none, none, none, none),
        none,
        none,
        none,
    )


def load_socket_io(capture: DecodedCapture, executions: Executions) -> SocketIo | None:
    """Loads the socket events. Returns None if sockets were not recorded."""
    if not capture.has("socket_io"):
        return None
    start = capture.window[0]
    sockets, table = capture.table("sockets"), capture.table("socket_io")
    socket = table["socket"].to_numpy().astype(np.int64)
    time = table["time"].to_numpy() - start
    tid = table["tid"].to_numpy().astype(np.int64)
    direction = table["direction"].to_numpy()
    sent = np.flatnonzero(direction == SENT)
    arrived = np.flatnonzero((direction == ARRIVED) | (direction == ENDED))
    read = np.flatnonzero((direction == READ) | (direction == END_READ))

    order = ordered(socket[sent], time[sent])
    sends = Sends(
        socket[sent][order], time[sent][order], running_item(executions, tid[sent], time[sent], GRACE_NS)[order]
    )
    size = table["bytes"].to_numpy().astype(np.int64)
    came, first = _arrival(socket[arrived], time[arrived], size[arrived], socket[read], time[read], size[read])
    noted = sockets["unread_at"].to_numpy()
    unread = np.where(noted >= 0, np.maximum(noted - start, 0), NEVER)
    lay = unread[socket[read]]
    early = first & (lay >= 0) & (lay <= time[read])
    came = np.where(early, lay, came)
    at, before = latest(sends.socket, sends.time, socket[read], came)
    before &= came >= 0
    none = np.full(len(read), OUTSIDE)
    by = running_item(executions, tid[read], time[read], GRACE_NS)
    order = ordered(by, time[read])
    reads = Reads(
        item=by[order],
        time=time[read][order],
        socket=socket[read][order],
        arrived=came[order],
        early=early[order],
        sent=np.where(before, sends.time[at], NEVER)[order] if len(sends.time) else none[order],
        sender=np.where(before, sends.item[at], OUTSIDE)[order] if len(sends.time) else none[order],
    )
    return SocketIo(
        role=sockets["role"].to_numpy().astype(np.int64),
        local=sockets["local"].astype(object).to_numpy(),
        remote=sockets["remote"].astype(object).to_numpy(),
        reads=reads,
        sends=sends,
        connects=_connects(executions, socket, time, tid, direction),
        arrival_socket=socket[direction == ARRIVED],
        arrival_time=time[direction == ARRIVED],
        unread=unread,
    )


OVERLAP = 0.05
"""The share of overlapping sends from which a connection counts as shared. A driver may send one question in two
pieces, from two items."""


def find_shared(io: SocketIo) -> BoolArray:
    """Returns the sockets on which several questions were open at once, shape (sockets,): an item sent something, and
    another one sent more before any data came back, as over HTTP/2. A driver that gives a connection to one request at
    a time waits for its answer. Senders outside the pool, as in some Redis clients, cannot be distinguished: such a
    connection does not count as shared."""
    sends, count = io.sends, len(io.role)
    order = ordered(io.arrival_socket, io.arrival_time)
    none_yet = np.full(len(sends.time), -1, dtype=np.int64)
    at, some = latest(io.arrival_socket[order], io.arrival_time[order], sends.socket, sends.time)
    last = np.where(some, io.arrival_time[order][at], -1) if len(order) else none_yet
    again = (sends.socket[1:] == sends.socket[:-1]) & (sends.item[1:] != sends.item[:-1])
    open_still = again & (last[1:] < sends.time[:-1])
    overlaps = np.bincount(sends.socket[1:][open_still], minlength=count)
    sent = np.bincount(sends.socket, minlength=count)
    return np.asarray((io.role == CONNECTED) & (overlaps >= OVERLAP * sent) & (overlaps > 0))


def _connects(executions: Executions, socket: IntArray, time: IntArray, tid: IntArray, direction: AnyArray) -> Connects:
    asked, agreed = np.flatnonzero(direction == ASKED_FOR), np.flatnonzero(direction == AGREED)
    agreed = agreed[ordered(socket[agreed], time[agreed])]
    at, some = first_after(socket[agreed], time[agreed], socket[asked], time[asked] - 1)
    connected = np.where(some, time[agreed][at] if len(agreed) else NEVER, NEVER)
    return Connects(socket[asked], time[asked], running_item(executions, tid[asked], time[asked]), connected)


def _arrival(
    arrival_socket: IntArray, arrival: IntArray, arrived: IntArray, socket: IntArray, time: IntArray, taken: IntArray
) -> tuple[IntArray, BoolArray]:
    """Returns when the latest data of each read had arrived (NEVER: not seen), and whether each read took data before
    any had arrived in the recording.

    The arrival is the last one since the previous read on the same socket. For a read of data, it is the last arrival
    of data, because a client that gives up may end a stream with unread data in it. If nothing came since the previous
    read, the data was already there. TCP delivers bytes in the order in which they were sent, so the n-th byte read is
    the n-th that arrived.
    """
    if len(arrival) == 0 or len(socket) == 0:
        return np.full(len(socket), NEVER, dtype=np.int64), taken > 0
    at, some = latest(arrival_socket, arrival, socket, time)
    of_data, took = np.flatnonzero(arrived > 0), taken > 0
    row, there = latest(arrival_socket[of_data], arrival[of_data], socket[took], time[took])
    at[took], some[took] = of_data[row] if len(of_data) else 0, there
    before, again = latest(socket, time, socket, time - 1)
    fresh = some & (arrival[at] > np.where(again, time[before], NEVER))
    byte = _byte_arrival(arrival_socket, arrival, arrived, socket, time, np.where(some, taken, 0))
    came = np.where(fresh, arrival[at], np.where((byte <= time) & some, byte, NEVER))
    return came, ~some & (taken > 0)


def _byte_arrival(
    arrival_socket: IntArray, arrival: IntArray, arrived: IntArray, socket: IntArray, time: IntArray, taken: IntArray
) -> IntArray:
    """Returns when the last byte of each read arrived, by counting bytes; NEVER: fewer bytes arrived."""
    came_in = ordered(arrival_socket, arrival)
    taken_in = ordered(socket, time)
    both, times = np.append(arrival_socket, socket), np.append(arrival, time)
    arrives = np.arange(len(both)) < len(arrival)
    order = ordered(both, times, ~arrives)
    came = arrived_once(both[order], times[order], arrives[order], np.append(arrived, taken)[order])[arrives[order]]
    counted = np.empty(len(socket), dtype=np.int64)
    counted[taken_in] = running_totals(socket[taken_in], taken[taken_in])
    # The first arrival by which enough bytes had come; for the end of the stream, which is no byte, the last such
    # arrival.
    row, enough = first_after(arrival_socket[came_in], came, socket, counted - 1)
    byte = np.where(enough, arrival[came_in][row], NEVER)
    ending = np.flatnonzero(arrived == 0)
    if len(ending) == 0:
        return np.where(taken > 0, byte, NEVER)
    last, some = latest(arrival_socket[ending], arrival[ending], socket, time)
    return np.where(taken > 0, byte, np.where(some, arrival[ending][last], NEVER))
