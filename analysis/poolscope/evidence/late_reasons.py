"""Finds late requests for reasons outside the pool: the thread that reads their connection was busy elsewhere, their
own code computed or held its thread, or their clients were slow to take the answer.

Unread data is weighted by time, not by segments: a connection whose reader stands still gets no more data, because the
sender waits, too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.attribution.causes.socket_io import FULL, NEVER, SENT
from poolscope.base.arrays import IntArray
from poolscope.base.lookup import first_after, ordered
from poolscope.base.searches import rows_before
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.evidence.culprit import Seen, seen_in
from poolscope.measures.late import LATE_NS, SHARE, Late, spans_of
from poolscope.measures.requests.parts import RequestParts
from poolscope.measures.requests.requests import Requests
from poolscope.measures.requests.tiles import EXECUTED
from poolscope.measures.socket_reads import READ, SocketReads


@dataclass(frozen=True)
class OwnWork:
    """The own work of late requests, shape (late,), ns."""

    cpu: IntArray
    blocked: IntArray
    seen: Seen
    """The code in which the threads of the late requests were."""

    @property
    def cost(self) -> IntArray:
        return self.cpu + self.blocked


def find_own_work(
    capture: DecodedCapture, attribution: Attribution, requests: Requests, parts: RequestParts, late: Late
) -> OwnWork:
    """Measures the own work of late requests. It is 0 for requests that are not tied and answered."""
    cpu, blocked = (np.zeros(requests.count, dtype=np.int64) for _ in range(2))
    cpu[parts.row], blocked[parts.row] = parts.part["cpu"], parts.part["blocked"]
    tiles, executions = requests.tiles, attribution.executions
    ran = tiles.where((tiles.kind == EXECUTED) & (tiles.item >= 0) & np.isin(tiles.request, late.row))
    seen = seen_in(capture, attribution, executions.worker[ran.item], ran.start, ran.end)
    return OwnWork(cpu[late.row], blocked[late.row], seen)


MOSTLY = 0.5
"""The least share of a request's time that it must wait for its client; with less it would have been late anyway."""
TYPICAL = 0.25
"""The share of a route's requests from which waiting for clients is typical of the route."""


@dataclass(frozen=True)
class SlowClients:
    """The requests that waited for their clients for most of their time, and at least a second, shape (requests,).
    Times are ns from the start of the window."""

    row: IntArray
    """Indices into Requests."""
    start: IntArray
    end: IntArray
    waited: IntArray
    """How long each connection took no data."""
    known: int
    """The number of requests that are tied to their connections."""
    typical: bool
    """Whether their routes have hardly any other requests, so that nothing shows whether the time mattered."""


def find_slow_clients(requests: Requests, waited: IntArray) -> SlowClients | None:
    """Finds the requests that waited for slow clients. `waited` is for each request, from `waits_for_clients`. Returns
    None if they are too few."""
    start, end, code = spans_of(requests)
    row = np.flatnonzero((waited >= LATE_NS) & (waited >= MOSTLY * (end - start)))
    known = int(requests.tied.sum())
    if len(row) < max(SHARE * known, 1):
        return None
    slow, every = (np.bincount(codes, minlength=int(code.max()) + 1)[code[row]] for codes in (code[row], code))
    return SlowClients(row, start[row], end[row], waited[row], known, bool((slow >= TYPICAL * every).all()))


def waits_for_clients(capture: DecodedCapture, requests: Requests) -> IntArray:
    """Returns how long, ns, shape (requests,), each request's connection took no data although the process had data to
    send: from when a thread found the buffer full until one could send again."""
    socket, begin, until = _stalls(capture)
    total: IntArray = np.append(0, np.cumsum(until - begin)).astype(np.int64)
    start, end, _ = spans_of(requests)
    span = int(max(end.max(initial=0), until.max(initial=0))) + 2

    def up_to(time: IntArray) -> IntArray:
        """Returns the stalls up to this time on the connection of each request and on those with lower numbers."""
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
    order = ordered(socket, time)
    socket, time, full = socket[order], time[order], table["direction"].to_numpy()[order] == FULL
    begins = full.copy()
    begins[1:] &= ~full[:-1] | (socket[1:] != socket[:-1])
    at, some = first_after(socket[~full], time[~full], socket[begins], time[begins])
    until = capture.table("sockets")["closed"].to_numpy()[socket[begins]]
    until = np.where(until == NEVER, stop, until) - first
    until[some] = time[~full][at[some]]
    return socket[begins], time[begins], until


HELD_NS = int(200 * NS_PER_MS)
"""The time for which data must lie in its socket before its reader counts as held: a busy moment is shorter."""
NO_READ = 0.8
"""The share of the time with unread data in which its reader must read nothing at all, for HELD_NS at a stretch. A
thread that keeps reading elsewhere is not held."""


@dataclass(frozen=True)
class HeldReader:
    """A thread that left data unread. Times are ns from the start of the window."""

    tid: int
    name: str | None
    connections: int
    start: IntArray
    """Stretches in which data lay there that the thread read later, without overlaps; shape (stretches,)."""
    end: IntArray
    longest: int
    """The longest time for which any of the data lay there, ns."""
    seen: Seen
    """The code in which the thread was in these stretches."""

    @property
    def during(self) -> Steps:
        """1 while data lay there, otherwise 0."""
        return Steps.count(self.start, self.end)

    @property
    def total(self) -> int:
        return int((self.end - self.start).sum())


def find_held_readers(capture: DecodedCapture, attribution: Attribution, reads: SocketReads) -> list[HeldReader]:
    """Returns the held readers, longest first; empty if sockets were not recorded. `reads` belongs to this capture."""
    long = (reads.wait >= HELD_NS) & (reads.reader >= 0)
    begin, until = reads.arrived[long], (reads.arrived + reads.wait)[long]
    reader, of = reads.reader[long], reads.socket[long]
    table = capture.table("socket_io")
    table = table[table["direction"].to_numpy() == READ]
    found = []
    # Any worker may read in place of another one, so their unread data is a wait of the pool.
    for thread in np.setdiff1d(reader, capture.table("workers")["tid"].to_numpy()):
        times = np.sort(table["time"].to_numpy()[table["tid"].to_numpy() == thread]) - capture.window[0]
        times = np.concatenate((np.array([0]), times, np.array([capture.window[1] - capture.window[0]])))
        pause = np.flatnonzero(np.diff(times) >= HELD_NS)
        idle = Steps.count(times[pause], times[pause + 1]).integral(begin, until)
        own = (reader == thread) & (idle >= NO_READ * (until - begin))
        if not own.any():
            continue
        during, longest = _union(begin[own], until[own]), int((until - begin)[own].max())
        seen = seen_in(capture, attribution, np.full(len(during[0]), thread), *during)
        names = capture.table("threads")
        name = names["name"][names["tid"].to_numpy() == thread]
        known = str(name.iloc[0]) if len(name) and isinstance(name.iloc[0], str) else None
        found.append(HeldReader(int(thread), known, len(np.unique(of[own])), *during, longest, seen))
    return sorted(found, key=lambda held: -held.total)


def _union(begin: IntArray, end: IntArray) -> tuple[IntArray, IntArray]:
    order = np.argsort(begin, kind="stable")
    begin, end = begin[order], np.maximum.accumulate(end[order])
    new = np.append(True, begin[1:] > end[:-1])
    return begin[new], end[np.append(np.flatnonzero(new)[1:] - 1, len(end) - 1)]
