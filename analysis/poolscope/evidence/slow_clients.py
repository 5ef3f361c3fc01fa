"""Requests whose clients were slow to take the answer: the buffer of their connection was full of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.causes.socket_io import FULL, NEVER, SENT
from poolscope.base.arrays import IntArray
from poolscope.base.lookup import first_after
from poolscope.base.searches import rows_before
from poolscope.capture import DecodedCapture
from poolscope.measures.late import LATE_NS, SHARE, spans_of
from poolscope.measures.requests.requests import Requests

MOSTLY = 0.5
"""For what a request took: one that waited less for its client would have been late without it."""
TYPICAL = 0.25
"""For the requests of its route: where this many wait for their clients, the route always does."""


@dataclass(frozen=True)
class SlowClients:
    """Shape (requests,) of those that waited for their clients for most of their time, a second at least. Times are ns from the
    start of the window."""

    row: IntArray
    """Index into Requests."""
    start: IntArray
    end: IntArray
    waited: IntArray
    """How long its connection took nothing."""
    known: int
    """Requests that are tied to their connections."""
    typical: bool
    """Their routes have hardly other requests, so that nothing says whether anybody missed the time."""


def find_slow_clients(requests: Requests, waited: IntArray) -> SlowClients | None:
    """Finds the requests that waited for slow clients. `waited` is for each request, from `waits_for_clients`. Returns
    None if there are too few."""
    start, end, code = spans_of(requests)
    row = np.flatnonzero((waited >= LATE_NS) & (waited >= MOSTLY * (end - start)))
    known = int(requests.tied.sum())
    if len(row) < max(SHARE * known, 1):
        return None
    slow, every = (np.bincount(codes, minlength=int(code.max()) + 1)[code[row]] for codes in (code[row], code))
    return SlowClients(row, start[row], end[row], waited[row], known, bool((slow >= TYPICAL * every).all()))


def waits_for_clients(capture: DecodedCapture, requests: Requests) -> IntArray:
    """Returns how long, ns, shape (requests,), each request's connection took nothing although data was to be sent: from when a thread
    found the buffer full until one could send again."""
    socket, begin, until = _stalls(capture)
    total: IntArray = np.append(0, np.cumsum(until - begin)).astype(np.int64)
    start, end, _ = spans_of(requests)
    span = int(max(end.max(initial=0), until.max(initial=0))) + 2

    def up_to(time: IntArray) -> IntArray:
        """Returns the stalls up to this time on the connection of each request and those with lower numbers."""
        at = rows_before(socket * span + begin, requests.socket * span + np.maximum(time, 0), side="right")
        last = np.maximum(at - 1, 0)
        goes_on = (at > 0) & (socket[last] == requests.socket) if len(socket) else np.zeros(len(at), dtype=bool)
        over = np.maximum(until[last] - time, 0) if len(socket) else np.zeros(len(at), dtype=np.int64)
        return np.asarray(total[at] - np.where(goes_on, over, 0), dtype=np.int64)

    return np.where(requests.socket >= 0, up_to(end) - up_to(start), 0)


def _stalls(capture: DecodedCapture) -> tuple[IntArray, IntArray, IntArray]:
    """Returns socket, begin and end of each time in which a connection's buffer was full, by socket and time."""
    first, stop = capture.window
    table = capture.table("socket_io")
    table = table[table["direction"].isin((SENT, FULL))]
    socket = table["socket"].to_numpy().astype(np.int64)
    time = table["time"].to_numpy() - first
    order = np.lexsort((time, socket))
    socket, time, full = socket[order], time[order], table["direction"].to_numpy()[order] == FULL
    begins = full.copy()
    begins[1:] &= ~full[:-1] | (socket[1:] != socket[:-1])
    at, some = first_after(socket[~full], time[~full], socket[begins], time[begins])
    until = capture.table("sockets")["closed"].to_numpy()[socket[begins]]
    until = np.where(until == NEVER, stop, until) - first
    until[some] = time[~full][at[some]]
    return socket[begins], time[begins], until
