"""Where the time of late requests went that the thread pool had no part in."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poolscope.base.arrays import AnyArray, IntArray
from poolscope.evidence.measured import Measured
from poolscope.measures.requests.tiles import OTHER, SERVICE
from poolscope.measures.silences import Silence

MOSTLY = 0.5
"""Of what late requests took beyond the usual: what has less of it is not where they were."""


def silent_service(evidence: Measured) -> tuple[Silence, IntArray] | None:
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


def late_calls(evidence: Measured) -> tuple[str, IntArray] | None:
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
    names = np.array([str(remote[s]) for s in socket], dtype=object)
    for name in dict.fromkeys(names):
        yield str(name), np.flatnonzero(names == name)
