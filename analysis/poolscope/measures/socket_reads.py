"""How long data lay in sockets before a thread of the target read it: waits that no work item shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.groups import running_totals
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum

ARRIVED = enum("socket_io", "direction", "arrived")
READ = enum("socket_io", "direction", "read")


@dataclass(frozen=True)
class SocketReads:
    """One row per segment of data that arrived on a connection whose bytes can be followed, shape (arrivals,)."""

    socket: IntArray
    """`sockets.id`."""
    arrived: IntArray
    """ns from the start of the window."""
    wait: IntArray
    """Up to when a thread took its first byte, ns; of data that nobody took, up to the end of the window."""
    read: BoolArray
    """A thread took it: the wait is no lower bound."""
    never_read: IntArray
    """How long data lay in each connection that the collector found unread when it looked, and from which no thread read
    afterwards, ns; none of it is in the rows above."""
    connections: int
    """On which data arrived."""
    followed: int
    """Of these, the ones in the rows above."""

    @property
    def mean_ms(self) -> float:
        """0 without data."""
        return float(self.wait.mean()) / NS_PER_MS if len(self.wait) else 0.0

    def quantile_ms(self, share: float) -> float:
        """0 without data."""
        return float(np.quantile(self.wait, share)) / NS_PER_MS if len(self.wait) else 0.0


def read_waits(capture: DecodedCapture) -> SocketReads | None:
    """Follows the bytes of every connection from their arrival to their read; None where sockets were not recorded.

    TCP hands bytes over in the order in which they were sent, so the n-th byte that was read is the n-th that arrived. That
    fails where a segment arrived twice or is missing here: a connection is followed only if at each read so many bytes had
    arrived, and what was not read at the end arrived after the last read.
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
    came = running_totals(socket, np.where(arrives, size, 0))
    taken = running_totals(socket, np.where(arrives, 0, size))
    with_data = np.bincount(socket[arrives], minlength=count) > 0
    followed = with_data & _can_be_followed(socket, arrives, size, came, taken, count)

    rows = np.flatnonzero(arrives & followed[socket])
    reads = np.flatnonzero(~arrives & followed[socket])
    # The first read that goes beyond what had arrived before this segment.
    span = int(max(came.max(initial=0), taken.max(initial=0))) + 2
    before = socket[rows] * span + came[rows] - size[rows]
    at = np.searchsorted(socket[reads] * span + taken[reads], before, side="right")
    at_most = np.minimum(at, max(len(reads) - 1, 0))
    read = (at < len(reads)) & (socket[reads[at_most]] == socket[rows]) if len(reads) else np.zeros(len(rows), bool)
    until = np.where(read, time[reads[at_most]], stop - start) if len(reads) else np.full(len(rows), stop - start)
    noted = capture.table("sockets")["unread_at"].to_numpy()
    never = (noted >= 0) & (np.bincount(socket, minlength=len(noted))[: len(noted)] == 0)
    return SocketReads(
        never_read=stop - np.maximum(noted[never], start),
        socket=socket[rows],
        arrived=time[rows],
        wait=np.maximum(until - time[rows], 0),
        read=np.asarray(read),
        connections=int(with_data.sum()),
        followed=int(followed.sum()),
    )


def _can_be_followed(
    socket: IntArray, arrives: BoolArray, size: IntArray, came: IntArray, taken: IntArray, count: int
) -> BoolArray:
    """Which connections' bytes add up, shape (count,)."""
    wrong = np.bincount(socket[taken > came], minlength=count) > 0
    # Bytes that arrived after the last read of their connection.
    last = np.full(count, -1, dtype=np.int64)
    place = np.flatnonzero(~arrives)
    last[socket[place]] = place  # the last one assigned counts
    late = arrives & (np.arange(len(socket)) > last[socket])
    left = np.bincount(socket[late], size[late], minlength=count)
    total = np.bincount(socket, np.where(arrives, size, -size), minlength=count)
    return np.asarray(~wrong & (total == left))
