"""Finds the causes of late requests outside the thread pool."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from poolscope.base.arrays import AnyArray, IntArray
from poolscope.base.stages import once_property
from poolscope.evidence.busy_connections import BusyConnections, find_busy_connections
from poolscope.evidence.late_reasons import (
    HeldReader,
    OwnWork,
    SlowClients,
    find_held_readers,
    find_own_work,
    find_slow_clients,
    waits_for_clients,
)
from poolscope.evidence.measured import Measured
from poolscope.measures.calls import StreamLimit, find_stream_limits
from poolscope.measures.late import LOWER_QUARTILE, Late, find_late_activities, find_late_calls, find_late_requests
from poolscope.measures.requests import Requests
from poolscope.measures.requests.held_up import PoolWaits, find_pool_waits
from poolscope.measures.requests.tiles import DARK, SERVICE, Tiles
from poolscope.measures.services import Silence, find_silences, load_sockets
from poolscope.measures.stops import Stops, find_stops

MOSTLY = 0.5
"""The least share of the late requests' time beyond the usual that a cause must explain."""


class Elsewhere(Measured):
    """The measurements of causes outside the thread pool."""

    @once_property
    def late_requests(self) -> Late | None:
        """Finds the requests far beyond the median of their route; None if they are too few."""
        return find_late_requests(self.requests)

    @once_property
    def held_up_requests(self) -> Late | None:
        """Finds the requests far beyond the lower quartile of their route, because a fault that affects most requests
        raises their median. They may include long polls, so rules judge them only if an event shows a cause. Returns
        None if they are too few."""
        return find_late_requests(self.requests, LOWER_QUARTILE)

    @once_property
    def late_others(self) -> tuple[str, Late] | None:
        """Finds the late activities of a process without requests, or the late calls of one without activities, and
        says which of the two they are."""
        if self.requests is not None and self.requests.count:
            return None
        if self.activities is not None and self.activities.count:
            late = find_late_activities(self.activities)
            return None if late is None else ("activities", late)
        late = find_late_calls(self.calls)
        return None if late is None else ("calls", late)

    @once_property
    def silences(self) -> list[Silence]:
        """Finds the silences of services that owed answers."""
        start, stop = self.capture.window
        return find_silences(load_sockets(self.capture, self.attribution), stop - start)

    @once_property
    def held_readers(self) -> list[HeldReader]:
        """Finds the threads that left data unread that they later read."""
        reads = self.socket_reads
        return [] if reads is None else find_held_readers(self.capture, self.attribution, reads)

    @once_property
    def stops(self) -> Stops:
        """Returns the times at which all threads of the process stood still."""
        return find_stops(self.capture)

    @once_property
    def busy_connections(self) -> BusyConnections | None:
        """Finds the connections whose messages are handled one after another."""
        sockets = load_sockets(self.capture, self.attribution)
        return find_busy_connections(self.capture, self.attribution, sockets, self.requests, self.activities)

    @once_property
    def own_work(self) -> OwnWork | None:
        """Measures the own work of late requests. Returns None if there are none, or if no event shows the parts of
        requests."""
        late, requests, parts = self.late_requests, self.requests, self.request_parts
        if late is None or requests is None or parts is None:
            return None
        return find_own_work(self.capture, self.attribution, requests, parts, late)

    @once_property
    def client_waits(self) -> IntArray | None:
        """Returns how long the connection of each request was full of data that its client had not taken, ns, shape
        (requests,); None if sockets were not recorded, or the capture has no requests."""
        if self.requests is None or not self.requests.count or not self.capture.has("socket_io"):
            return None
        return waits_for_clients(self.capture, self.requests)

    @once_property
    def slow_clients(self) -> SlowClients | None:
        """Finds the requests that waited for their clients for most of their time; None if they are too few."""
        if self.requests is None or self.client_waits is None:
            return None
        return find_slow_clients(self.requests, self.client_waits)

    @once_property
    def pool_waits(self) -> PoolWaits | None:
        """Finds the requests that waited for another service's connections."""
        io = load_sockets(self.capture, self.attribution)
        if self.requests is None or io is None:
            return None
        return find_pool_waits(self.requests, io)

    @once_property
    def stream_limits(self) -> list[StreamLimit]:
        """Finds the hosts to which calls over HTTP/2 waited for streams, costliest first."""
        return [] if self.calls is None else find_stream_limits(self.calls)


def silent_service(evidence: Elsewhere) -> tuple[Silence, IntArray] | None:
    """Returns the service that owed answers and sent nothing for most of the excess time of late requests; None: no
    service did. Also returns the time for which each late request was open meanwhile without any event, ns, shape
    (late,)."""
    late, requests = evidence.held_up_requests, evidence.requests
    if late is None or requests is None or not evidence.silences:
        return None
    tiles, of = _tiles(requests, late, DARK)
    untied = np.flatnonzero(~requests.whole[late.row])
    start = np.concatenate((tiles.start, late.start[untied]))
    end = np.concatenate((tiles.end, late.end[untied]))
    of = np.concatenate((of, untied))
    for silence in evidence.silences:
        lasted = np.bincount(of, silence.during.integral(start, end), minlength=len(late.row))
        if lasted.sum() >= MOSTLY * late.beyond:
            return silence, lasted.astype(np.int64)
    return None


def late_calls(evidence: Elsewhere) -> tuple[str, IntArray] | None:
    """Returns the service whose answers late requests awaited for most of their time beyond the usual, and how long
    each of them did, ns, shape (late,). None: no service."""
    late, requests = evidence.late_requests, evidence.requests
    if late is None or requests is None:
        return None
    tiles, of = _tiles(requests, late, (SERVICE,))
    for endpoint, own in by_endpoint(requests.remote, tiles.socket):
        awaited = np.bincount(of[own], tiles.duration[own], minlength=len(late.row))
        if awaited.sum() >= MOSTLY * late.beyond:
            return endpoint, awaited.astype(np.int64)
    return None


def _tiles(requests: Requests, late: Late, kinds: tuple[int, ...]) -> tuple[Tiles, IntArray]:
    """Returns the stretches of these kinds in late requests, and the index of the late request of each."""
    row = np.full(requests.count, -1, dtype=np.int64)
    row[late.row] = np.arange(len(late.row))
    tiles = requests.tiles.where(np.isin(requests.tiles.kind, kinds) & (row[requests.tiles.request] >= 0))
    return tiles, row[tiles.request]


def by_endpoint(remote: AnyArray, socket: IntArray) -> Iterator[tuple[str, IntArray]]:
    code, names = pd.factorize(remote[socket].astype(str))
    for number, name in enumerate(names):
        yield str(name), np.flatnonzero(code == number)
