"""Requests that took far longer than others of their route: what a user of the service would call late."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from poolscope.base.arrays import IntArray
from poolscope.base.units import NS_PER_S
from poolscope.measures.requests.requests import Requests
from poolscope.measures.requests.routes import route_codes

LATE_NS = 1 * NS_PER_S
"""From which latency on a request may be late: less may be a busy moment, and who waits a second notices."""
TIMES = 5.0
"""Times what its route usually takes: a long poll, a download or an open web socket takes its time always."""
LEAST = 10
"""Requests of a route without which nothing tells what it usually takes."""
MEDIAN = 0.5
LOWER_QUARTILE = 0.25
"""What a route usually takes where something may have held up most of its requests. A route of long polls has quick requests,
too: only a place that is proven otherwise may be looked for with this."""
SHARE = 0.01
"""Of all requests: fewer late ones are no matter of the service's."""


@dataclass(frozen=True)
class LateRequests:
    """Shape (late,). Times are ns from the start of the window; of a request that was not over they end with it."""

    row: IntArray
    """Index into Requests."""
    start: IntArray
    end: IntArray
    usual: IntArray
    """What its route usually takes, ns."""
    count: int
    """All requests."""

    @property
    def beyond(self) -> int:
        """By how much they took longer than usual, ns in all."""
        return int((self.end - self.start - self.usual).sum())

    @property
    def longest(self) -> int:
        return int((self.end - self.start).max())


def find_late_requests(requests: Requests | None, usually: float = MEDIAN) -> LateRequests | None:
    """None where there are no requests, or too few late ones. `usually`: the quantile of its route that a request is compared
    with."""
    if requests is None or requests.count == 0:
        return None
    start, end, code = _spans(requests)
    took = end - start
    usual = pd.Series(took).groupby(code).quantile(usually, interpolation="lower").to_numpy()[code]
    comparable = np.bincount(code)[code] >= LEAST
    late = np.flatnonzero((took >= LATE_NS) & (took >= TIMES * usual) & comparable & ~requests.early)
    if len(late) < max(SHARE * requests.count, 1):
        return None
    return LateRequests(late, start[late], end[late], usual[late], requests.count)


def long_and_rare(requests: Requests | None) -> IntArray:
    """How long those requests took that would be late if their routes had enough others to compare with, ns, shape (long,)."""
    if requests is None or requests.count == 0:
        return np.zeros(0, dtype=np.int64)
    start, end, code = _spans(requests)
    return (end - start)[(end - start >= LATE_NS) & (np.bincount(code)[code] < LEAST) & ~requests.early]


def _spans(requests: Requests) -> tuple[IntArray, IntArray, IntArray]:
    """When each request began and was over, and its route. It begins with its last byte, else when the server told of it, and is
    over with its answer, else when it left the application, whichever is later."""
    start = np.where(requests.arrived >= 0, np.minimum(requests.arrived, requests.begun), requests.begun)
    end = np.maximum(requests.left, requests.answered)
    end = np.where(end >= 0, end, requests.stop)
    _, code = route_codes(requests.method, requests.path)
    return start, end, code
