"""How long data was in sockets before a thread of the target read it: waits that no work item shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.causes.socket_io import arrived_once
from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.lookup import first_after, latest, running_totals, same_as_before
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum

ARRIVED = enum("socket_io", "direction", "arrived")
READ = enum("socket_io", "direction", "read")
RACE_NS = int(NS_PER_MS)
"""A read may take data whose arrival event is up to this much later: a segment that arrives while a read runs may be
taken by it, with an event before or after that of the read."""


@dataclass(frozen=True)
class SocketReads:
    """One row per segment of data on a connection whose bytes can be followed, and one per connection from before the
    recording in which the collector found unread data; shape (arrivals,)."""

    socket: IntArray
    """`sockets.id`."""
    arrived: IntArray
    """ns from the start of the window. For data found unread, when the collector looked."""
    wait: IntArray
    """Until a thread took its first byte, ns. For data that nothing took, until the end of the window."""
    read: BoolArray
    """True if a thread took it: the wait is then no lower bound."""
    reader: IntArray
    """OS thread id of the thread that took it. For data that nothing took, of the last thread that read there; -1 if
    none did."""
    connections: int
    """The number of connections on which data arrived or was found unread."""
    followed: int
    """The number of these that are in the rows."""
    not_followed: int
    """The number of segments that arrived on the others."""

    @property
    def mean_ms(self) -> float:
        """The mean wait, ms; 0 without data."""
        return float(self.wait.mean()) / NS_PER_MS if len(self.wait) else 0.0

    def quantile_ms(self, share: float) -> float:
        """Returns a quantile of the waits, ms; 0 without data."""
        return float(np.quantile(self.wait, share)) / NS_PER_MS if len(self.wait) else 0.0


def read_waits(capture: DecodedCapture) -> SocketReads | None:
    """Follows the bytes of every connection from their arrival to their read. Returns None if sockets were not
    recorded.

    TCP delivers bytes in the order in which they were sent. So the n-th byte read is the n-th that arrived, apart from
    segments that arrived twice (`copies.arrived_once`). A connection is followed only if, at each read, at least that
    many bytes had arrived, and if the bytes that remain unread arrived after the last read. Both within RACE_NS.
    """
    if not capture.has("socket_io"):
        return None
    start, stop = capture.window
    table = capture.table("socket_io")
    direction = table["direction"].to_numpy()
    order = np.argsort(table["socket"].to_numpy(), kind="stable")
    order = order[np.isin(direction[order], (ARRIVED, READ))]
    socket, time = table["socket"].to_numpy()[order].astype(np.int64), table["time"].to_numpy()[order] - start
    size, arrives = table["bytes"].to_numpy()[order].astype(np.int64), direction[order] == ARRIVED
    count = int(socket.max(initial=-1)) + 1
    came = arrived_once(socket, time, arrives, size)
    taken = running_totals(socket, np.where(arrives, 0, size))
    before = np.where(same_as_before(socket), np.append(0, came[:-1])[: len(came)], 0)
    with_data = np.bincount(socket[arrives], minlength=count) > 0
    followed = with_data & _can_be_followed(socket, time, arrives, came, taken, count)

    rows = np.flatnonzero(arrives & (came > before) & followed[socket])
    reads = np.flatnonzero(~arrives & followed[socket])
    # The first read beyond the bytes that had arrived before this segment.
    span = int(max(came.max(initial=0), taken.max(initial=0))) + 2
    at = np.searchsorted(socket[reads] * span + taken[reads], socket[rows] * span + before[rows], side="right")
    at_most = np.minimum(at, max(len(reads) - 1, 0))
    read = (at < len(reads)) & (socket[reads[at_most]] == socket[rows]) if len(reads) else np.zeros(len(rows), bool)
    until = np.where(read, time[reads[at_most]], stop - start) if len(reads) else np.full(len(rows), stop - start)
    # For data that nothing took, the row before `at` is the last read of its connection, if there is one.
    by = np.where(read, at_most, at - 1)
    known = (by >= 0) & (socket[reads[by]] == socket[rows]) if len(reads) else np.zeros(len(rows), bool)
    tid = table["tid"].to_numpy()[order].astype(np.int64)
    reader = np.where(known, tid[reads[by]], -1) if len(reads) else np.full(len(rows), -1)
    found, found_at = _found_unread(capture)
    _, first = np.unique(socket[~arrives], return_index=True)
    first = np.flatnonzero(~arrives)[first]
    at, some = first_after(socket[first], time[first], found, found_at)
    found_until = np.where(some, time[first][at], stop - start) if len(first) else np.full(len(found), stop - start)
    found_reader = np.where(some, tid[first][at], -1) if len(first) else np.full(len(found), -1)
    return SocketReads(
        socket=np.concatenate((socket[rows], found)),
        arrived=np.concatenate((time[rows], found_at)),
        wait=np.concatenate((np.maximum(until - time[rows], 0), found_until - found_at)),
        read=np.concatenate((read, some)),
        reader=np.concatenate((reader, found_reader)),
        connections=len(np.union1d(np.flatnonzero(with_data), found)),
        followed=len(np.union1d(np.flatnonzero(followed), found)),
        not_followed=int((arrives & ~followed[socket]).sum()),
    )


def _found_unread(capture: DecodedCapture) -> tuple[IntArray, IntArray]:
    """Returns the connections in which the collector found unread data, and when it looked, ns from the start of the
    window."""
    noted = capture.table("sockets")["unread_at"].to_numpy()
    found = np.flatnonzero(noted >= 0)
    return found, np.maximum(noted[found] - capture.window[0], 0)


def _can_be_followed(
    socket: IntArray, time: IntArray, arrives: BoolArray, came: IntArray, taken: IntArray, count: int
) -> BoolArray:
    """Returns which connections' bytes add up, shape (count,)."""
    rows, reads = np.flatnonzero(arrives), np.flatnonzero(~arrives)
    # Bytes that arrived until shortly after each read, and all bytes that arrived.
    at, any_came = latest(socket[rows], time[rows], socket[reads], time[reads] + RACE_NS)
    soon = np.where(any_came, came[rows][at], 0) if len(rows) else np.zeros(len(reads), dtype=np.int64)
    wrong = np.bincount(socket[reads][taken[reads] > soon], minlength=count) > 0
    last = np.append(socket[reads][1:] != socket[reads][:-1], True)[: len(reads)]
    left = np.bincount(socket[reads][last & (taken[reads] < came[reads])], minlength=count) > 0
    return np.asarray(~wrong & ~left)
