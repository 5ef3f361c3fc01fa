"""What the target asked of other services over TCP, and when the answers came."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from poolscope.attribution import Attribution
from poolscope.attribution.causes.socket_io import CONNECTED, SocketIo, load_socket_io
from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.capture import DecodedCapture
from poolscope.measures.once import once


@dataclass(frozen=True)
class ServiceCalls:
    """What the target asked of others over connections that it had asked for, and its answer; shape (calls,), in order of `item`
    and `asked`. Times are ns from the start of the window."""

    endpoint: AnyArray
    socket: IntArray
    item: IntArray
    """Who asked, index into Executions; OUTSIDE: a thread without an item."""
    asked: IntArray
    came: IntArray
    """The last byte of the answer."""
    blocks: BoolArray
    """Whoever asked read the answer, too, and so had its thread up to then."""

    def where(self, chosen: BoolArray | IntArray) -> ServiceCalls:
        return ServiceCalls(*(getattr(self, field.name)[chosen] for field in fields(self)))

    @property
    def duration(self) -> IntArray:
        return self.came - self.asked

    def services(self) -> dict[str, int]:
        """Returns how long the target waited for each endpoint in all, ns; the longest first."""
        total: dict[str, int] = {}
        for endpoint in np.unique(self.endpoint.astype(str)):
            total[str(endpoint)] = int(self.duration[self.endpoint == endpoint].sum())
        return dict(sorted(total.items(), key=lambda pair: -pair[1]))


def find_service_calls(io: SocketIo | None) -> ServiceCalls:
    """Finds the questions to other services and their answers. Returns none if sockets were not recorded."""
    if io is None:
        nothing = np.zeros(0, dtype=np.int64)
        return ServiceCalls(nothing.astype(object), nothing, nothing, nothing, nothing, nothing.astype(bool))
    reads = io.reads
    named = np.array([isinstance(remote, str) for remote in io.remote], dtype=bool) & (io.role == CONNECTED)
    rows = np.flatnonzero((reads.sent >= 0) & (reads.arrived > reads.sent) & named[reads.socket])
    # An answer that was read in several parts is one.
    rows = rows[np.lexsort((reads.arrived[rows], reads.sent[rows], reads.socket[rows]))]
    key = np.stack((reads.socket[rows], reads.sent[rows]))
    rows = rows[np.append((key[:, 1:] != key[:, :-1]).any(axis=0), True)[: len(rows)]]
    rows = rows[np.lexsort((reads.sent[rows], reads.sender[rows]))]
    item, socket = reads.sender[rows], reads.socket[rows]
    blocks = (item >= 0) & (reads.item[rows] == item)
    return ServiceCalls(io.remote[socket], socket, item, reads.sent[rows], reads.arrived[rows], blocks)


@once
def load_sockets(capture: DecodedCapture, attribution: Attribution) -> SocketIo | None:
    """Loads the socket events. Returns None if they were not recorded."""
    return load_socket_io(capture, attribution.executions)
