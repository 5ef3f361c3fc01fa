"""Where the time of late requests went that the thread pool had no part in."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from poolscope.base.arrays import AnyArray, IntArray
from poolscope.evidence.held_readers import HeldReader, find_held_readers
from poolscope.evidence.measured import Measured
from poolscope.evidence.of_capture import of_capture
from poolscope.measures.connection_limits import StreamLimit, find_stream_limits
from poolscope.measures.requests.late import LateRequests, find_late_requests
from poolscope.measures.requests.tiles import OTHER, SERVICE
from poolscope.measures.services import load_sockets
from poolscope.measures.silences import Silence, find_silences
from poolscope.measures.stops import Stops, find_stops

MOSTLY = 0.5
"""Of what late requests took beyond the usual: what has less of it is not where they were."""


class Elsewhere(Measured):
    """What was measured of causes outside the thread pool."""

    @of_capture
    def late_requests(self) -> LateRequests | None:
        """None where too few were."""
        return find_late_requests(self.requests)

    @of_capture
    def silences(self) -> list[Silence]:
        """Of services that owed answers."""
        start, stop = self.capture.window
        return find_silences(load_sockets(self.capture, self.attribution), stop - start)

    @of_capture
    def held_readers(self) -> list[HeldReader]:
        """Threads that let data lie which they alone read."""
        return find_held_readers(self.capture, self.attribution)

    @of_capture
    def stops(self) -> Stops:
        """When all threads of the process stood still."""
        return find_stops(self.capture)

    @of_capture
    def stream_limits(self) -> list[StreamLimit]:
        """Hosts to which calls over HTTP/2 waited for streams, the costliest first."""
        return [] if self.calls is None else find_stream_limits(self.calls)


def silent_service(evidence: Elsewhere) -> tuple[Silence, IntArray] | None:
    """The service that owed answers and sent nothing for most of what late requests took, and how long each of them was under way
    meanwhile without anything that an event tells of, ns, shape (late,). None: there is none."""
    late, requests = evidence.late_requests, evidence.requests
    if late is None or requests is None or not evidence.silences:
        return None
    row = np.full(requests.count, -1, dtype=np.int64)
    row[late.row] = np.arange(len(late.row))
    tiles = requests.tiles.where((requests.tiles.kind == OTHER) & (row[requests.tiles.request] >= 0))
    untied = np.flatnonzero(~requests.whole[late.row])
    start = np.concatenate((tiles.start, late.start[untied]))
    end = np.concatenate((tiles.end, late.end[untied]))
    of = np.concatenate((row[tiles.request], untied))
    for silence in evidence.silences:
        lasted = np.bincount(of, silence.during.integral(start, end), minlength=len(late.row))
        if lasted.sum() >= MOSTLY * late.beyond:
            return silence, lasted.astype(np.int64)
    return None


def late_calls(evidence: Elsewhere) -> tuple[str, IntArray] | None:
    """The service whose answers late requests awaited for most of what they took beyond the usual, and for how long each did,
    ns, shape (late,). None: there is none."""
    late, requests = evidence.late_requests, evidence.requests
    if late is None or requests is None:
        return None
    row = np.full(requests.count, -1, dtype=np.int64)
    row[late.row] = np.arange(len(late.row))
    tiles = requests.tiles.where((requests.tiles.kind == SERVICE) & (row[requests.tiles.request] >= 0))
    for endpoint, own in _by_endpoint(requests.remote, tiles.socket):
        awaited = np.bincount(row[tiles.request[own]], tiles.duration[own], minlength=len(late.row))
        if awaited.sum() >= MOSTLY * late.beyond:
            return endpoint, awaited.astype(np.int64)
    return None


def _by_endpoint(remote: AnyArray, socket: IntArray) -> Iterator[tuple[str, IntArray]]:
    code, names = pd.factorize(remote[socket].astype(str))
    for number, name in enumerate(names):
        yield str(name), np.flatnonzero(code == number)
