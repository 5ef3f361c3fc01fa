"""Stretches in which one end of a connection owed answers and sent nothing at all: another service, or the target itself.

On a connection that many requests or messages share no event says whose answer comes. That none comes to anybody is reported by the
bytes: something was asked, and nothing went back for far longer than it usually takes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from poolscope.attribution.causes.socket_io import CONNECTED, SocketIo
from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.lookup import first_after
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_S

SILENT_NS = 1 * NS_PER_S
"""From which length on a stretch without an answer is a silence: as of late requests."""
TIMES = 10.0
"""Times the connection's median time from a question to the next bytes: a service that always takes long is not silent."""
LEAST = 10
"""Answers on a connection without which it has no median. Counted per connection, because a long poll or a subscription to an
endpoint has one of its own: beside quick answers on others it would look like a silence."""


@dataclass(frozen=True)
class Silence:
    """For one endpoint. Times are ns from the start of the window."""

    endpoint: str
    start: IntArray
    """Shape (silences,)."""
    end: IntArray
    usual: int
    answers: int

    @property
    def during(self) -> Steps:
        """1 while it was silent on any connection, else 0."""
        open_ = Steps.count(self.start, self.end)
        return Steps(open_.time, (open_.value > 0).astype(np.float64))


@dataclass(frozen=True)
class Turns:
    """From what was asked over a connection to the next bytes that went back, shape (turns,), by connection and time. Times are
    ns from the start of the window."""

    ask: IntArray
    """Index of the first question of the turn."""
    socket: IntArray
    asked: IntArray
    came: IntArray
    """`stop` where nothing came."""
    some: BoolArray
    """Something came."""
    answers: IntArray
    """Turns with an answer on this connection."""
    silent: BoolArray
    """Far longer than the others on this connection."""

    @staticmethod
    def of(socket: IntArray, time: IntArray, answer_socket: IntArray, answer_time: IntArray, stop: int) -> Turns:
        """Pairs questions (`socket`, `time`) with answers; both in any order."""
        asks = np.lexsort((time, socket))
        socket, asked = socket[asks], time[asks]
        order = np.lexsort((answer_time, answer_socket))
        at, some = first_after(answer_socket[order], answer_time[order], socket, asked)
        came = np.where(some, answer_time[order][at] if len(order) else stop, stop)
        # Of several questions before the same bytes the first one waited longest.
        first = np.ones(len(asks), dtype=bool)
        first[1:] = (socket[1:] != socket[:-1]) | (came[1:] != came[:-1])
        socket, asked, came, some = socket[first], asked[first], came[first], some[first]
        took = came - asked
        answered = pd.Series(np.where(some, took, np.nan)).groupby(socket)
        usual, answers = answered.transform("median").to_numpy(), answered.transform("count").to_numpy()
        silent = (answers >= LEAST) & (took >= np.maximum(SILENT_NS, TIMES * np.nan_to_num(usual)))
        return Turns(asks[first], socket, asked, came, some, answers, silent)


def find_silences(io: SocketIo | None, stop: int) -> list[Silence]:
    """Finds the silences of other services, the longest in all first. `stop` is the end of the window, to which a
    silence lasts that nothing ended."""
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
