"""Stretches in which another service owed answers on a connection and sent nothing at all.

On a connection that many requests share no event tells whose answer comes. That none comes to anybody is told by the bytes:
something was sent, and nothing arrived for far longer than it usually takes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from poolscope.attribution.causes.socket_io import CONNECTED, SocketIo
from poolscope.base.arrays import IntArray
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
    """Of one endpoint. Times are ns from the start of the window."""

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


def find_silences(io: SocketIo | None, stop: int) -> list[Silence]:
    """The longest in all first. `stop`: the end of the window, to which a silence lasts that nothing ended."""
    if io is None or len(io.sends.time) == 0:
        return []
    sends = io.sends
    asks = np.flatnonzero(io.role[sends.socket] == CONNECTED)
    asks = asks[np.lexsort((sends.time[asks], sends.socket[asks]))]
    socket, asked = sends.socket[asks], sends.time[asks]
    order = np.lexsort((io.arrival_time, io.arrival_socket))
    at, some = first_after(io.arrival_socket[order], io.arrival_time[order], socket, asked)
    came = np.where(some, io.arrival_time[order][at] if len(order) else stop, stop)
    # Of several questions before the same bytes the first one waited longest.
    first = np.ones(len(asks), dtype=bool)
    first[1:] = (socket[1:] != socket[:-1]) | (came[1:] != came[:-1])
    socket, asked, came, some = socket[first], asked[first], came[first], some[first]
    took = came - asked
    answered = pd.Series(np.where(some, took, np.nan)).groupby(socket)
    usual, answers = answered.transform("median").to_numpy(), answered.transform("count").to_numpy()
    silent = (answers >= LEAST) & (took >= np.maximum(SILENT_NS, TIMES * np.nan_to_num(usual)))
    code, names = pd.factorize(io.remote[socket].astype(str))
    found = []
    for number, endpoint in enumerate(names):
        own = silent & (code == number)
        if own.any():
            judged = (code == number) & (answers >= LEAST) & some
            found.append(Silence(str(endpoint), asked[own], came[own], int(np.median(took[judged])), int(judged.sum())))
    return sorted(found, key=lambda s: -int((s.end - s.start).sum()))
