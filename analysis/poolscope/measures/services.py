"""The target's questions to other services over TCP, their answers, and stretches in which no answer came at all.

On a connection that many requests or messages share, no event shows whose answer arrives. But the bytes show that none
of them gets an answer: a question was sent, and nothing came back for far longer than usual.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import pandas as pd

from poolscope.attribution import Attribution
from poolscope.attribution.causes.socket_io import CONNECTED, SocketIo, load_socket_io
from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.base.lookup import first_after, ordered
from poolscope.base.series import Steps
from poolscope.base.stages import once
from poolscope.base.units import NS_PER_S
from poolscope.capture import DecodedCapture


@dataclass(frozen=True)
class ServiceCalls:
    """The target's questions to other services over connections that it opened, and the answers; shape (calls,), in
    order of `item` and `asked`. Times are ns from the start of the window."""

    endpoint: AnyArray
    socket: IntArray
    item: IntArray
    """The asker, an index into Executions. OUTSIDE for a thread without an item."""
    asked: IntArray
    came: IntArray
    """The last byte of the answer."""
    blocks: BoolArray
    """True if the asker also read the answer, and so kept its thread until then."""

    def where(self, chosen: BoolArray | IntArray) -> ServiceCalls:
        return ServiceCalls(*(getattr(self, field.name)[chosen] for field in fields(self)))

    @property
    def duration(self) -> IntArray:
        return self.came - self.asked

    def services(self) -> dict[str, int]:
        """Returns the target's total wait for each endpoint, ns, longest first."""
        code, endpoints = pd.factorize(self.endpoint, sort=True)
        total = np.zeros(len(endpoints), dtype=np.int64)
        np.add.at(total, code, self.duration)
        return {str(endpoints[k]): int(total[k]) for k in np.argsort(-total, kind="stable")}


def find_service_calls(io: SocketIo | None) -> ServiceCalls:
    """Finds the questions to other services and their answers. Empty if sockets were not recorded."""
    if io is None:
        nothing = np.zeros(0, dtype=np.int64)
        return ServiceCalls(nothing.astype(object), nothing, nothing, nothing, nothing, nothing.astype(bool))
    reads = io.reads
    named = np.array([isinstance(remote, str) for remote in io.remote], dtype=bool) & (io.role == CONNECTED)
    rows = np.flatnonzero((reads.sent >= 0) & (reads.arrived > reads.sent) & named[reads.socket])
    # An answer that was read in several parts counts once.
    rows = rows[ordered(reads.socket[rows], reads.sent[rows], reads.arrived[rows])]
    key = np.stack((reads.socket[rows], reads.sent[rows]))
    rows = rows[np.append((key[:, 1:] != key[:, :-1]).any(axis=0), True)[: len(rows)]]
    rows = rows[ordered(reads.sender[rows], reads.sent[rows])]
    item, socket = reads.sender[rows], reads.socket[rows]
    blocks = (item >= 0) & (reads.item[rows] == item)
    return ServiceCalls(io.remote[socket], socket, item, reads.sent[rows], reads.arrived[rows], blocks)


@once
def load_sockets(capture: DecodedCapture, attribution: Attribution) -> SocketIo | None:
    """Loads the socket events. Returns None if they were not recorded."""
    return load_socket_io(capture, attribution.executions)


SILENT_NS = 1 * NS_PER_S
"""The length from which a stretch without an answer is a silence, as for late requests."""
TIMES = 10.0
"""The factor over the connection's median time from a question to the next bytes: a service that always takes long is
not silent."""
LEAST = 10
"""The fewest answers for a connection's median. It is counted per connection, because a long poll or a subscription has
a connection of its own: beside quick answers on others it would look like a silence."""


@dataclass(frozen=True)
class Silence:
    """The silences of one endpoint. Times are ns from the start of the window."""

    endpoint: str
    start: IntArray
    """Shape (silences,)."""
    end: IntArray
    usual: int
    answers: int

    @property
    def during(self) -> Steps:
        """1 while it was silent on any connection, otherwise 0."""
        open_ = Steps.count(self.start, self.end)
        return Steps(open_.time, (open_.value > 0).astype(np.float64))


@dataclass(frozen=True)
class Turns:
    """Turns from a question on a connection to the next bytes that came back, shape (turns,), by connection and time.
    Times are ns from the start of the window."""

    ask: IntArray
    """Index of the first question of the turn."""
    socket: IntArray
    asked: IntArray
    came: IntArray
    """`stop` if nothing came."""
    some: BoolArray
    """True if something came."""
    answers: IntArray
    """The number of turns with an answer on this connection."""
    silent: BoolArray
    """True if the turn is far longer than the others on this connection."""

    @staticmethod
    def of(socket: IntArray, time: IntArray, answer_socket: IntArray, answer_time: IntArray, stop: int) -> Turns:
        """Pairs questions (`socket`, `time`) with answers; both in any order."""
        asks = ordered(socket, time)
        socket, asked = socket[asks], time[asks]
        order = ordered(answer_socket, answer_time)
        at, some = first_after(answer_socket[order], answer_time[order], socket, asked)
        came = np.where(some, answer_time[order][at] if len(order) else stop, stop)
        # If several questions precede the same bytes, the first one waited longest.
        first = np.ones(len(asks), dtype=bool)
        first[1:] = (socket[1:] != socket[:-1]) | (came[1:] != came[:-1])
        socket, asked, came, some = socket[first], asked[first], came[first], some[first]
        took = came - asked
        answered = pd.Series(np.where(some, took, np.nan)).groupby(socket)
        usual, answers = answered.transform("median").to_numpy(), answered.transform("count").to_numpy()
        silent = (answers >= LEAST) & (took >= np.maximum(SILENT_NS, TIMES * np.nan_to_num(usual)))
        return Turns(asks[first], socket, asked, came, some, answers, silent)


def find_silences(io: SocketIo | None, stop: int) -> list[Silence]:
    """Finds the silences of other services, longest total first. `stop` is the end of the window and of a silence that
    nothing ended."""
    if io is None or len(io.sends.time) == 0:
        return []
    asks = io.role[io.sends.socket] == CONNECTED
    turns = Turns.of(io.sends.socket[asks], io.sends.time[asks], io.arrival_socket, io.arrival_time, stop)
    socket, asked, came, took = turns.socket, turns.asked, turns.came, turns.came - turns.asked
    silent, answers, some = turns.silent, turns.answers, turns.some
    code, names = pd.factorize(io.remote[socket].astype(str))
    found = []
    for number, endpoint in enumerate(names):
        own = silent & (code == number)
        if own.any():
            judged = (code == number) & (answers >= LEAST) & some
            found.append(Silence(str(endpoint), asked[own], came[own], int(np.median(took[judged])), int(judged.sum())))
    return sorted(found, key=lambda s: -int((s.end - s.start).sum()))
