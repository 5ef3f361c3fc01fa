"""Captures of requests from the wire to the answer, written by hand, and their measures. Times are ms."""

from __future__ import annotations

import numpy as np
from poolscope.attribution import attribute
from poolscope.measures.requests import measure_requests, split_requests
from poolscope.product.requests import KINDS
from synthetic import MS, CaptureBuilder

EPOLL, FIRST, SECOND, TIMERS = 90, 1, 2, 91
"""Thread ids."""


def wired(tmp_path, length=1000):
    return CaptureBuilder(tmp_path, length=length * MS).thread(EPOLL, 100, ".NET Sockets")


def on_core(builder, enqueue, dequeue, end, worker, by=EPOLL):
    """Adds an item that is on a core throughout."""
    return builder.item(
        enqueue * MS, dequeue * MS, end * MS, worker, [("running", (end - dequeue) * MS)], enqueue_tid=by
    )


def connection(builder, *transfers, role="accepted"):
    return builder.connection(*((int(time * MS), *rest) for time, *rest in transfers), role=role)


def request(builder, start, tid, left=-1, left_tid=-1, **more):
    return builder.request(int(start * MS), tid, int(left * MS) if left >= 0 else -1, left_tid, **more)


def measured(builder):
    capture = builder.write()
    attribution = attribute(capture)
    requests = measure_requests(capture, attribution)
    return requests, split_requests(requests, attribution)


def story(requests, row=0):
    tiles = requests.tiles.where(requests.tiles.request == row)
    order = np.argsort(tiles.start, kind="stable")
    said: list = []
    for at in order:
        what = KINDS[int(tiles.kind[at])]
        start, end = tiles.start[at] / MS, tiles.end[at] / MS
        if said and said[-1][0] == what and said[-1][2] == start:
            said[-1] = (what, said[-1][1], end)
        else:
            said.append((what, start, end))
    return said


def is_exact(requests, parts):
    """Asserts that parts and causes add up, and that the stretches follow each other without a gap."""
    assert np.array_equal(parts.latency, (requests.answered - requests.arrived)[requests.whole])
    assert np.array_equal(sum(parts.cause.values()), parts.part["unread"] + parts.part["queued"])
    assert min(part.min() for part in (*parts.part.values(), *parts.cause.values())) >= 0
    order = np.lexsort((requests.tiles.start, requests.tiles.request))
    tiles = requests.tiles
    same = tiles.request[order][1:] == tiles.request[order][:-1]
    assert np.array_equal(tiles.start[order][1:][same], tiles.end[order][:-1][same])
