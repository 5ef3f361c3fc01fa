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
"""Times the median of its route: a long poll, a download or an open web socket takes its time always."""
LEAST = 10
"""Requests of a route without which it has no median to compare with."""
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
    """Median of its route, ns."""
    count: int
    """All requests."""

    @property
    def beyond(self) -> int:
        """By how much they took longer than usual, ns in all."""
        return int((self.end - self.start - self.usual).sum())

    @property
    def longest(self) -> int:
        return int((self.end - self.start).max())


def find_late_requests(requests: Requests | None) -> LateRequests | None:
    """None where there are no requests, or too few late ones. A request begins with its last byte, else when the server told
    of it, and is over with its answer, else when it left the application, whichever is later."""
    if requests is None or requests.count == 0:
        return None
    start = np.where(requests.arrived >= 0, np.minimum(requests.arrived, requests.begun), requests.begun)
    end = np.maximum(requests.left, requests.answered)
    end = np.where(end >= 0, end, requests.stop)
    took = end - start
    _, code = route_codes(requests.method, requests.path)
    usual = pd.Series(took).groupby(code).transform("median").to_numpy().astype(np.int64)
    comparable = np.bincount(code)[code] >= LEAST
    late = np.flatnonzero((took >= LATE_NS) & (took >= TIMES * usual) & comparable & ~requests.early)
    if len(late) < max(SHARE * requests.count, 1):
        return None
    return LateRequests(late, start[late], end[late], usual[late], requests.count)
